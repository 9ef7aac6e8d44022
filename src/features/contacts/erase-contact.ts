import { In } from "typeorm";
import { organizationOf, type RequestContext } from "../../auth/context";
import { timestamp } from "../../common/time";
import type { Tx } from "../../database/unit-of-work";
import { recordAudits } from "../audit/audit";
import { recordEvents } from "../events/record-events";
import { detachConsents } from "./consents";
import { contactActions } from "./contact.audit";
import { Contact } from "./contact.entity";
import { ContactAddress } from "./contact-address.entity";
import { contactEvent } from "./contact-events";
import { ContactTag } from "./contact-tag.entity";
import { ContactTerm } from "./contact-term.entity";
import type { Erasures } from "./erasures";

/** Erases locked contacts except their IDs and timestamps, and starts their erasure in other features. */
export async function eraseContacts(
  tx: Tx,
  context: RequestContext,
  contacts: readonly Contact[],
  erasures: Erasures,
): Promise<void> {
  const ids = contacts.map(({ id }) => id);
  if (ids.length === 0) return;
  await detachConsents(tx, ids);
  for (const part of [ContactAddress, ContactTag, ContactTerm]) await tx.delete(part, { contactId: In(ids) });
  const now = timestamp();
  const empty = { ref: null, name: null, locale: null, timezone: null, attributes: {} };
  const change = { ...empty, handedOffAt: null, touchedAt: null, updatedAt: now, erasedAt: now };
  await tx.update(Contact, { id: In(ids) }, { ...change, version: () => "version + 1" });
  const organizationId = organizationOf(context);
  const targets = ids.map((id) => ({ id, name: id, organizationId }));
  await recordAudits(tx, context, contactActions.contact_erased, targets);
  await erasures.begin(tx, ids);
  for (const contact of contacts) Object.assign(contact, change, { version: contact.version + 1 });
  recordEvents(
    tx,
    contacts.map((contact) => contactEvent("contact.erased", contact)),
  );
}
