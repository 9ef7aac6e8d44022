import { getNamedType, isEnumType, isIntrospectionType, isObjectType } from "graphql";
import { Event } from "../../src/features/events/event.entity";
import type { EventType } from "../../src/features/events/event-types";
import { WebhookEndpoint } from "../../src/features/webhooks/webhook-endpoint.entity";
import { createSchema } from "../../src/graphql/schema";
import { firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";
import { addEndpoint, addEvents, webhookClient } from "../support/webhooks";

const schema = createSchema();
const enums = Object.values(schema.getTypeMap()).filter(
  (type) => isEnumType(type) && !isIntrospectionType(type),
);

test.each([
  ["EffectExplanation", "kind"],
  ["EffectExplanation", "status"],
  ["Event", "type"],
  ["GateExplanation", "name"],
  ["WebhookDelivery", "type"],
  ["WebhookEndpoint", "types"],
])("%s.%s has a closed set of values, an enum", (typeName, fieldName) => {
  const type = schema.getType(typeName);
  expect(isEnumType(isObjectType(type) && getNamedType(type.getFields()[fieldName]?.type))).toBe(true);
});

test.each(enums.map((type) => [type.name, type]))(
  "%s serves values of a newer version, but no invalid values",
  (_, type) => {
    if (!isEnumType(type)) throw new Error("not an enum");
    for (const { name, value } of type.getValues()) expect(type.serialize(value)).toBe(name);
    expect(type.serialize("much.newer:value")).toBe("much_newer_value");
    for (const value of ["", "1st", "a b", "é", null, 1, {}]) expect(() => type.serialize(value)).toThrow();
    expect(() => type.parseValue("much_newer_value")).toThrow();
  },
);

describeGateway({ engine: "one" }, (gateway) => {
  test("each API serves values stored by a newer version, in its own spelling", async () => {
    const { database } = gateway.services;
    const type = "pigeon.sent_home" as EventType;
    const agentId = await firstAgentId(gateway);
    await addEvents(gateway, agentId, ["1"]);
    const endpoint = await addEndpoint(gateway);
    await database.write(async (tx) => {
      await tx.update(Event, { subject: "line:1" }, { type });
      await tx.update(WebhookEndpoint, { id: endpoint.id }, { types: [type] });
    });

    // Runs in Apollo first, then as a compiled plan.
    for (const _ of [1, 2, 3]) {
      const { body } = await gateway.graphql("{ events(first: 100) { nodes { subject type } } }");
      expect(body.errors).toBeUndefined();
      expect(body.data.events.nodes).toContainEqual({ subject: "line:1", type: "pigeon_sent_home" });
    }
    const { body } = await gateway.rest("GET", "/agent/events?limit=100");
    expect(body).toContainEqual(expect.objectContaining({ subject: "line:1", type }));
    const found = await webhookClient(gateway).find(endpoint.id);
    expect(found.body.data.webhookEndpoint.types).toEqual(["pigeon_sent_home"]);
  });
});
