import { type BaseType, type DataDeclaration, parseDataType } from "./data-types";

/** Raised when the agent may answer in a conversation again. */
export const CONVERSATION_RELEASED = "conversation.released";

/** Raised when a message in a conversation could not be delivered. */
export const MESSAGE_FAILED = "message.failed";

/** Raised when a contact wrote a message; the only type of situation that includes a message. */
export const MESSAGE_RECEIVED = "message.received";

/** The situations that the gateway raises, and their data. */
export const RESERVED_SITUATIONS: ReadonlyMap<string, DataDeclaration> = new Map<string, DataDeclaration>([
  [MESSAGE_RECEIVED, { messageIds: "list<string>?" }],
  [CONVERSATION_RELEASED, { reason: "string?" }],
  [MESSAGE_FAILED, { messageId: "string", errorCode: "string?" }],
]);

/** The wildcard for all situations in `on`. */
export const ANY_SITUATION = "*";

/** A value's shape: a plain value, a list, any JSON, null, or an object with the given members. */
export type Shape = "value" | "list" | "json" | "null" | { readonly [member: string]: Shape };

/** All values available to conditions and templates in a situation. */
export type Shapes = Readonly<
  Record<"situation" | "contact" | "conversation" | "message" | "agent" | "now", Shape>
> & {
  /** The unsubscribe link; only available in messages about a topic. */
  readonly unsubscribeUrl?: Shape;
};

const CONTACT: Shape = {
  ref: "value",
  name: "value",
  locale: "value",
  timezone: "value",
  attributes: "json",
  tags: "list",
  channels: "list",
};
const CONVERSATION: Shape = { id: "value", line: "value", handler: "value", state: "value" };
const MESSAGE: Shape = { text: "value", subject: "value", sequence: "value" };
const AGENT: Shape = { slug: "value", name: "value" };

const shapeOf = (base: BaseType): Shape => (base === "list<string>" ? "list" : "value");

/** Returns the names available in situations of a type, or of any type if `data` is undefined. */
export function shapesOf(type: string, data: DataDeclaration | undefined): Shapes {
  const members = Object.entries(data ?? {}).map(([name, each]) => [name, shapeOf(parseDataType(each).base)]);
  const hasMessage = type === MESSAGE_RECEIVED || type === ANY_SITUATION;
  return {
    situation: { type: "value", data: data ? Object.fromEntries(members) : "json" },
    contact: CONTACT,
    conversation: CONVERSATION,
    message: hasMessage ? MESSAGE : "null",
    agent: AGENT,
    now: "value",
  };
}

/** Members of a list that templates can read in addition to its items. */
const LIST_MEMBERS: ReadonlySet<string> = new Set(["size", "first", "last"]);

/** Returns a path's first name that does not exist in the shapes, with the names that do; any list index is accepted. */
export function unknownName(
  shapes: Shapes,
  path: readonly (string | number)[],
): readonly [name: string, known: string[]] | undefined {
  let shape: Shape = shapes;
  for (const name of path) {
    const member = memberOf(shape, name);
    if (member === undefined) return [String(name), typeof shape === "object" ? Object.keys(shape) : []];
    shape = member;
  }
  return undefined;
}

function memberOf(shape: Shape, member: string | number): Shape | undefined {
  switch (shape) {
    case "json":
      return "json";
    case "list":
      return typeof member === "number" || LIST_MEMBERS.has(member) ? "value" : undefined;
    case "value":
      return member === "size" ? "value" : undefined;
    case "null":
      return undefined;
    default:
      return Object.hasOwn(shape, member) ? shape[member] : undefined;
  }
}
