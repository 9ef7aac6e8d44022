import { AuditEntry } from "../audit/audit-entry.entity";
import { Event, OF_CONTACT } from "../events/event.entity";
import { Consent } from "./consent.entity";
import { Contact } from "./contact.entity";
import { ContactAddress } from "./contact-address.entity";
import type { ContactPart } from "./contact-export";
import { ContactTag } from "./contact-tag.entity";

/** The contact data that this feature exports, including data from the features that it depends on. */
export const contactParts: readonly ContactPart[] = [
  {
    kind: "contact",
    rows: (reader, id) => reader.createQueryBuilder(Contact, "contact").where({ id }),
    order: ["contact.id"],
  },
  {
    kind: "address",
    rows: (reader, contactId) => reader.createQueryBuilder(ContactAddress, "address").where({ contactId }),
    order: ["address.id"],
  },
  {
    kind: "consent",
    rows: (reader, contactId) =>
      reader
        .createQueryBuilder(Consent, "consent")
        .where("consent.address_id IN (SELECT id FROM contact_address WHERE contact_id = :contactId)", {
          contactId,
        }),
    order: ["consent.id"],
  },
  {
    kind: "tag",
    rows: (reader, contactId) => reader.createQueryBuilder(ContactTag, "tag").where({ contactId }),
    order: ["tag.contactId", "tag.tag"],
  },
  {
    kind: "event",
    rows: (reader, id) =>
      reader
        .createQueryBuilder(Event, "event")
        .where({ subject: `contact:${id}` })
        .andWhere(OF_CONTACT),
    order: ["event.position"],
  },
  {
    kind: "audit_entry",
    rows: (reader, targetId) =>
      reader
        .createQueryBuilder(AuditEntry, "entry")
        .where({ targetId })
        .andWhere(
          "entry.organization_id = (SELECT agent.organization_id FROM contact JOIN agent ON agent.id = contact.agent_id WHERE contact.id = :contactId)",
          { contactId: targetId },
        ),
    order: ["entry.id"],
  },
];
