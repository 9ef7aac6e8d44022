import { getNamedType, isEnumType, isObjectType } from "graphql";
import { createSchema } from "../../src/graphql/schema";

test.each([
  ["EffectExplanation", "kind"],
  ["EffectExplanation", "status"],
  ["Event", "type"],
  ["GateExplanation", "name"],
  ["WebhookDelivery", "type"],
  ["WebhookEndpoint", "types"],
])("%s.%s has a closed set of values, an enum", (typeName, fieldName) => {
  const type = createSchema().getType(typeName);
  expect(isEnumType(isObjectType(type) && getNamedType(type.getFields()[fieldName]?.type))).toBe(true);
});
