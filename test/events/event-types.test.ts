import type { GraphQLEnumType } from "graphql";
import { FEATURES } from "../../src/features";
import { declareEventTypes, EVENT_TYPES } from "../../src/features/events/event-types";
import { createSchema } from "../../src/graphql/schema";
import { createOpenApi } from "../../src/rest/openapi/openapi";

test("each event type that a feature declares is documented with its data", () => {
  const declared = FEATURES.flatMap((feature) => Object.entries(feature.eventTypes ?? {}));
  expect([...EVENT_TYPES]).toEqual(declared);
  const { webhooks } = createOpenApi(createSchema(), []) as { webhooks: Record<string, object> };
  for (const [name, { description, data }] of declared) {
    expect(webhooks[name]).toMatchObject({
      post: {
        summary: description,
        requestBody: {
          content: { "application/json": { schema: { allOf: [{}, { properties: { data } }] } } },
        },
      },
    });
  }
});

test("in GraphQL, an event type is an enum value, with an underscore instead of the dot", () => {
  const { EventType } = createSchema().getTypeMap();
  const values = (EventType as GraphQLEnumType).getValues().map(({ name, value }) => [name, value]);
  expect(values).toEqual([...EVENT_TYPES.keys()].map((type) => [type.replace(".", "_"), type]));
});

test("an event type has one declaration, and a name that its column can hold", () => {
  const declared = EVENT_TYPES.get("message.sent") ?? { description: "", data: {} };
  expect(() => declareEventTypes({ "message.sent": declared })).toThrow("declared twice");
  expect(() => declareEventTypes({ [`note.${"x".repeat(40)}`]: declared })).toThrow("too long");
});
