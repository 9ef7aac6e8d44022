import type { NewEvent } from "../events/record-events";
import type { Contact } from "./contact.entity";

/** Returns an event about a contact. Receivers look up the name, attributes and addresses by ID. */
export const contactEvent = (
  type: NewEvent["type"],
  { id, agentId, ref, version }: Contact,
  more: Record<string, unknown> = {},
): NewEvent => ({ agentId, type, subject: `contact:${id}`, data: { id, ref, version, ...more } });
