import type { EventType } from "./event-types";

type JsonSchema = Record<string, unknown>;

/** An object that always has all of its properties, or those that are named. */
const object = (properties: Record<string, JsonSchema>, required = Object.keys(properties)): JsonSchema => ({
  type: "object",
  required,
  properties,
});

/** Not a list of types, which generators do not know. */
const orNull = (schema: JsonSchema): JsonSchema => ({ oneOf: [schema, { type: "null" }] });

const ID = { type: "string", format: "uuid" };
const TEXT = { type: "string" };
const NUMBER = { type: "integer", format: "int32" };
const TAGS = { type: "array", items: TEXT };

const messageIn = (status: string) =>
  object({
    id: ID,
    conversationId: orNull(ID),
    sequence: orNull(NUMBER),
    status: { type: "string", enum: [status] },
    author: TEXT,
    decisionId: orNull(ID),
    lineId: orNull(ID),
    errorCode: orNull(TEXT),
    providerId: orNull(TEXT),
  });

const CONVERSATION = object({
  id: ID,
  contactId: ID,
  lineId: ID,
  state: TEXT,
  handler: TEXT,
  version: NUMBER,
});

/** Once a contact is erased, the events about it have nothing but its ID. */
const contact = (more: Record<string, JsonSchema> = {}) =>
  object({ id: ID, ref: orNull(TEXT), version: NUMBER, ...more }, ["id"]);

const DECISION = object({
  id: ID,
  contactId: orNull(ID),
  conversationId: orNull(ID),
  situationType: TEXT,
  configurationVersion: NUMBER,
  decider: TEXT,
  outcome: orNull(TEXT),
  ruleId: orNull(TEXT),
});

const LINE = object({ id: ID, name: TEXT, reason: orNull(TEXT) });

/** JSON Schemas of the data of events. */
export const EVENT_DATA: Readonly<Record<EventType, JsonSchema>> = {
  "message.queued": messageIn("queued"),
  "message.sent": messageIn("sent"),
  "message.delivered": messageIn("delivered"),
  "message.read": messageIn("read"),
  "message.failed": messageIn("failed"),
  "message.canceled": messageIn("canceled"),
  "message.received": messageIn("received"),
  "decision.made": DECISION,
  "decision.failed": DECISION,
  "conversation.opened": CONVERSATION,
  "conversation.moved": CONVERSATION,
  "conversation.handed_off": CONVERSATION,
  "conversation.released": CONVERSATION,
  "conversation.loop_detected": CONVERSATION,
  "conversation.closed": CONVERSATION,
  "contact.created": contact(),
  "contact.updated": contact(),
  "contact.erased": contact(),
  "contact.tags_changed": contact({ added: TAGS, removed: TAGS }),
  "contact.opted_out": contact({ addressId: ID, lineId: ID }),
  "contact.opted_in": contact({ addressId: ID, lineId: ID }),
  "configuration.published": object({
    version: NUMBER,
    digest: TEXT,
    note: orNull(TEXT),
    restoredFrom: orNull(NUMBER),
  }),
  "line.paused": LINE,
  "line.resumed": LINE,
};
