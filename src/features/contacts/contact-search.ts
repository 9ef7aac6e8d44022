import { coalesceInTx } from "../../database/coalesce-in-tx";
import { insertAll } from "../../database/insert-all";
import type { Tx } from "../../database/unit-of-work";
import { readPhone } from "./addresses";
import type { Contact } from "./contact.entity";
import { TERM_MAX_LENGTH } from "./contact.limits";
import type { ContactAddress } from "./contact-address.entity";
import { ContactTerm } from "./contact-term.entity";

/** Max search words to match; if a search has more, only the last ones are used. */
const MAX_WORDS = 6;

/** Adds a parameter to a statement, and returns its placeholder. */
type Bind = (value: string) => string;

/** Folds case and whitespace in JavaScript, because the databases differ. */
const fold = (text: string): string =>
  [...text.normalize("NFKC").toLowerCase().trim().replace(/\s+/g, " ")].slice(0, TERM_MAX_LENGTH).join("");

/**
 * Finds phone numbers in any notation.
 * @returns the prefixes of matching terms (`starts`) and complete matching terms (`others`)
 */
export function termsToFind(search: string): { starts: string[]; others: string[] } {
  const { start, national } = readPhone(search);
  const text = fold(search);
  return { starts: start === undefined || start === text ? [text] : [text, start], others: national };
}

/** Returns the words of a name or search, normalized like stored terms. */
const wordsOf = (text: string): string[] => text.split(/[\s\p{P}]+/u).flatMap((word) => fold(word) || []);

/** Returns a search's words, which must all match; undefined for a single word. */
export function severalWords(search: string): string[] | undefined {
  const words = wordsOf(search).slice(-MAX_WORDS);
  return words.length > 1 ? words : undefined;
}

/**
 * Returns the condition that a term starts with a string; with the operator `>`, it must also be longer. U+10FFFF
 * sorts after all other characters, because terms are compared byte by byte.
 */
export const startsWith = (bind: Bind, term: string, start: string, operator: ">" | ">=" = ">="): string =>
  `${term} ${operator} ${bind(start)} AND ${term} < ${bind(`${start}\u{10FFFF}`)}`;

/**
 * Returns the condition that the contact of the term `entry` has all words; the last may be incomplete. The
 * longest word is looked up first.
 */
export function hasWords(bind: Bind, words: readonly string[]): string {
  const has = (condition: string) =>
    `EXISTS (SELECT 1 FROM contact_term other WHERE other.contact_id = entry.contact_id AND ${condition})`;
  const [first = "", ...others] = [...new Set(words.slice(0, -1))].sort((a, b) => b.length - a.length);
  return [
    `entry.term = ${bind(first)}`,
    ...others.map((word) => has(`other.term = ${bind(word)}`)),
    has(startsWith(bind, "other.term", words.at(-1) ?? "")),
  ].join(" AND ");
}

/** Returns a contact's search terms: its `ref`, addresses, name, and each word of the name. */
export function termsOf(
  { ref, name }: Pick<Contact, "ref" | "name">,
  addresses: readonly Pick<ContactAddress, "address">[],
): string[] {
  const texts = [ref, name, ...addresses.map(({ address }) => address)];
  const terms = texts.flatMap((text) => (text == null ? [] : fold(text) || []));
  return [...new Set([...terms, ...(name == null ? [] : wordsOf(name))])];
}

/** Stores a new contact's search terms. */
export async function insertTerms(
  tx: Tx,
  { id: contactId, agentId, ref, name }: Contact,
  addresses: readonly Pick<ContactAddress, "address">[],
): Promise<void> {
  await insertRows(
    tx,
    termsOf({ ref, name }, addresses).map((term) => ({ contactId, agentId, term })),
  );
}

const insertRows = coalesceInTx(
  async (tx: Tx, rows: readonly Pick<ContactTerm, "contactId" | "agentId" | "term">[][]) => {
    await insertAll(tx, ContactTerm, rows.flat());
    return rows.map(() => undefined);
  },
);

export async function replaceTerms(
  tx: Tx,
  contact: Contact,
  addresses: readonly Pick<ContactAddress, "address">[],
): Promise<void> {
  await tx.delete(ContactTerm, { contactId: contact.id });
  await insertTerms(tx, contact, addresses);
}
