import { declareEventTypes, EVENT_TYPES } from "../../src/features/events/event-types";
import { createSchema } from "../../src/graphql/schema";
import { createOpenApi } from "../../src/rest/openapi/openapi";
import { object, TEXT } from "../../src/schema/event-type";

test("a type of event that a feature declares is in the documentation, with its data", () => {
  const data = object({ text: TEXT });
  declareEventTypes({ "note.created": { description: "A note was created.", data } });
  const { webhooks } = createOpenApi(createSchema(), []) as { webhooks: Record<string, object> };
  expect(webhooks["note.created"]).toMatchObject({
    post: {
      operationId: "onNoteCreated",
      summary: "A note was created.",
      requestBody: {
        content: { "application/json": { schema: { allOf: [{}, { properties: { data } }] } } },
      },
    },
  });
});

test("a type of event has one declaration, and a name that its column can hold", () => {
  const declared = EVENT_TYPES.get("message.sent") ?? { description: "", data: {} };
  expect(() => declareEventTypes({ "message.sent": declared })).toThrow("declared twice");
  expect(() => declareEventTypes({ [`note.${"x".repeat(40)}`]: declared })).toThrow("too long");
});
