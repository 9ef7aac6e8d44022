import { type EntityManager, In, type ObjectLiteral } from "typeorm";
import { authorize } from "../../auth/authorize";
import type { RequestContext } from "../../auth/context";
import { isUuid } from "../../common/uuid";
import { MAY_READ_CONTACTS } from "./contact.access";
import { Contact } from "./contact.entity";
import { hasWords, severalWords, startsWith, termsToFind } from "./contact-search";
import { ContactTerm } from "./contact-term.entity";

/** Max contacts for reading a list by contact; with more, scanning the list in order fills a page sooner. */
const MAX_CONTACTS = 1_000;

/** The contacts that a list is limited to: a few IDs, or a condition that selects many contacts. */
export type ContactFilter =
  | { contactIds: string[] }
  | {
      /** @param id SQL expression for a contact's ID */
      isIn: (id: string) => string;
      parameters: ObjectLiteral;
    };

export interface ContactFilterArgs {
  search?: string | null | undefined;
  contactId?: string | null | undefined;
}

/**
 * Finds the agents' contacts that a list is limited to.
 * @returns undefined for all contacts, null for none
 * @throws GatewayError `insufficient_scope` for a search by a key that may not read contacts
 */
export async function findContacts(
  reader: EntityManager,
  { caller }: RequestContext,
  agentIds: readonly string[],
  { search, contactId }: ContactFilterArgs,
): Promise<ContactFilter | null | undefined> {
  if (search == null && contactId == null) return undefined;
  if (search != null) authorize(caller, { allowed: MAY_READ_CONTACTS, whileDeactivated: false }, false);
  if (contactId != null && !isUuid(contactId)) return null;
  const agentId = In([...agentIds]);
  if (search == null) {
    const isKnown = await reader.existsBy(Contact, { id: contactId as string, agentId });
    return isKnown ? { contactIds: [contactId as string] } : null;
  }
  const { conditions, parameters } = matching(search);
  const entries = await Promise.all(
    conditions.map((condition) =>
      reader
        .createQueryBuilder(ContactTerm, "entry")
        .select("entry.contact_id", "id")
        .where({ agentId, ...(contactId != null && { contactId }) })
        .andWhere(condition, parameters)
        .limit(MAX_CONTACTS + 1)
        .getRawMany<{ id: string }>(),
    ),
  );
  if (entries.some(({ length }) => length > MAX_CONTACTS)) {
    const either = conditions.join(" OR ");
    const isIn = (id: string) =>
      `EXISTS (SELECT 1 FROM contact_term entry WHERE entry.contact_id = ${id} AND (${either}))`;
    return { isIn, parameters };
  }
  const contactIds = [...new Set(entries.flat().map(({ id }) => id))];
  return contactIds.length === 0 ? null : { contactIds };
}

/** Returns SQL conditions on terms (`entry`); a contact matches if any of its terms meets any of them. */
function matching(search: string): { conditions: string[]; parameters: ObjectLiteral } {
  const parameters: ObjectLiteral = {};
  const bind = (value: string) => {
    const name = `term${Object.keys(parameters).length}`;
    parameters[name] = value;
    return `:${name}`;
  };
  const words = severalWords(search);
  const { starts, others } = termsToFind(search);
  const conditions = starts.map((start) => startsWith(bind, "entry.term", start));
  if (others.length > 0) conditions.push(`entry.term IN (${others.map(bind).join(", ")})`);
  if (words !== undefined) conditions.push(hasWords(bind, words));
  return { conditions: conditions.map((condition) => `(${condition})`), parameters };
}
