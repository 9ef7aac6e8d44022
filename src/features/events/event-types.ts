import { DeclaredEnum } from "../../common/declared-enum";
import type { DeclaredEventType } from "../../schema/event-type";
import { TYPE_MAX_LENGTH } from "./event.limits";

/** The event types. Each feature adds the names of its types, so that they are type-checked. */
// biome-ignore lint/suspicious/noEmptyInterface: features fill it
export interface EventTypes {}

/** A type of event, such as `message.delivered`. */
export type EventType = keyof EventTypes;

const declaredTypes = new DeclaredEnum<EventType>(
  "EventType",
  "Type of an event. REST, streams and webhooks use a dotted name, such as `contact.created`.",
);

/** The declared types as an enum. */
export const EventType = declaredTypes.values;

const types = new Map<string, DeclaredEventType>();

/** All event types, in feature order; the map is complete once `features.ts` is loaded. */
export const EVENT_TYPES: ReadonlyMap<string, DeclaredEventType> = types;

/** Declares a feature's event types; throws if a name is taken or too long. */
export function declareEventTypes(declared: Readonly<Record<string, DeclaredEventType>>): void {
  for (const [name, type] of Object.entries(declared)) {
    if (name.length > TYPE_MAX_LENGTH) throw new Error(`The name of the event type ${name} is too long.`);
    declaredTypes.add(name as EventType, type.description);
    types.set(name, type);
  }
}
