import type { EntityManager } from "typeorm";
import { normalizePhone } from "./addresses";
import type { Contact } from "./contact.entity";
import { TERM_MAX_LENGTH } from "./contact.limits";
import type { ContactAddress } from "./contact-address.entity";
import { ContactTerm } from "./contact-term.entity";

/** Folds case and blanks here because the databases differ. */
const fold = (text: string): string =>
  [...text.normalize("NFKC").toLowerCase().trim().replace(/\s+/g, " ")].slice(0, TERM_MAX_LENGTH).join("");

/** The term that a search looks for; a phone number is found in any notation with country code. */
export const termOf = (search: string): string => normalizePhone(search.trim()) ?? fold(search);

/** Replaces the texts by which a contact is found: its `ref`, its addresses, its name and each word of that. */
export async function storeTerms(
  tx: EntityManager,
  { id: contactId, agentId, ref, name }: Contact,
  addresses: readonly Pick<ContactAddress, "address">[],
): Promise<void> {
  const words = name?.split(/[\s\p{P}]+/u) ?? [];
  const texts = [ref, name, ...words, ...addresses.map(({ address }) => address)];
  const terms = new Set(texts.flatMap((text) => (text == null ? [] : fold(text) || [])));
  await tx.delete(ContactTerm, { contactId });
  if (terms.size === 0) return;
  const rows = [...terms].map((term) => ({ contactId, agentId, term }));
  await tx.createQueryBuilder().insert().into(ContactTerm).values(rows).updateEntity(false).execute();
}
