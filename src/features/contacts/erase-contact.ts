import { organizationOf, type RequestContext } from "../../auth/context";
import { timestamp } from "../../common/time";
import type { Tx } from "../../database/unit-of-work";
import { recordAudit } from "../audit/audit";
import { recordEvents } from "../events/record-events";
import { detachConsents } from "./consents";
import { contactActions } from "./contact.audit";
import { Contact } from "./contact.entity";
import { ContactAddress } from "./contact-address.entity";
import { contactEvent } from "./contact-events";
import { ContactTag } from "./contact-tag.entity";
import { ContactTerm } from "./contact-term.entity";
import type { Erasures } from "./erasures";

/**
 * Erases a locked contact's own data except its ID and timestamps, and begins the erasure of its data in other
 * features.
 */
export async function eraseContact(
  tx: Tx,
  context: RequestContext,
  contact: Contact,
  erasures: Erasures,
): Promise<void> {
  const { id, version } = contact;
  await detachConsents(tx, id);
  for (const part of [ContactAddress, ContactTag, ContactTerm]) await tx.delete(part, { contactId: id });
  const now = timestamp();
  const empty = { ref: null, name: null, locale: null, timezone: null, attributes: {} };
  const times = { handedOffAt: null, updatedAt: now, erasedAt: now };
  const change = { ...empty, version: version + 1, ...times };
  await tx.update(Contact, { id }, change);
  const target = { id, name: id, organizationId: organizationOf(context) };
  await recordAudit(tx, context, contactActions.contact_erased, target);
  await erasures.begin(tx, id);
  Object.assign(contact, change);
  recordEvents(tx, [contactEvent("contact.erased", contact)]);
}
