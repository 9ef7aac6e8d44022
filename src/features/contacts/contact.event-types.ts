import { ID, NUMBER, object, orNull, TEXT } from "../../schema/event-type";

/** Once a contact is erased, its events contain only its ID. */
const contact = (more: Parameters<typeof object>[0] = {}) =>
  object({ id: ID, ref: orNull(TEXT), version: NUMBER, ...more }, ["id"]);

const TAGS = { type: "array", items: TEXT };

export const contactEventTypes = {
  "contact.created": { description: "A contact was created.", data: contact() },
  "contact.updated": { description: "A contact was changed.", data: contact() },
  "contact.erased": { description: "A contact was erased.", data: contact() },
  "contact.tags_changed": {
    description: "Tags were added to or removed from a contact.",
    data: contact({ added: TAGS, removed: TAGS }),
  },
  "contact.opted_out": {
    description: "A contact opted out of messages at an address.",
    data: contact({ addressId: ID, lineId: ID }),
  },
  "contact.consent_changed": {
    description:
      "A contact's consent to receive messages at an address changed, for a topic or for all messages (`*`).",
    data: contact({ addressId: ID, topic: TEXT, state: TEXT, source: TEXT }),
  },
  "contact.opted_in": {
    description: "A contact opted back in to messages at an address.",
    data: contact({ addressId: ID, lineId: ID }),
  },
};
