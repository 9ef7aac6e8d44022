import { type EntityManager, In, type SelectQueryBuilder } from "typeorm";
import type { Page } from "../../pagination/connection";
import { Contact } from "./contact.entity";
import { ContactTag } from "./contact-tag.entity";
import { ContactTerm } from "./contact-term.entity";

export function listed(reader: EntityManager, agentId: string, { ids }: Filter) {
  const query = reader
    .createQueryBuilder(Contact, "contact")
    .where({ agentId })
    .andWhere("contact.erased_at IS NULL");
  return ids === undefined ? query : query.andWhere({ id: In(ids) });
}

/** Normalized filters of a list. */
export interface Filter {
  term: string | undefined;
  tag: string | undefined;
  ids: string[] | undefined;
}

/** The entries of contacts that have a tag or match a search; undefined for all contacts. */
export function matchingEntries(reader: EntityManager, agentId: string, { term, tag, ids }: Filter) {
  if (term === undefined) {
    if (tag === undefined) return undefined;
    const tagged = reader
      .createQueryBuilder(ContactTag, "entry")
      .where({ agentId })
      .andWhere("entry.tag = :tag", { tag });
    return ids === undefined ? tagged : tagged.andWhere({ contactId: In(ids) });
  }
  const query = reader
    .createQueryBuilder(ContactTerm, "entry")
    .where({ agentId })
    .andWhere("entry.term = :term", { term });
  if (ids !== undefined) query.andWhere({ contactId: In(ids) });
  if (tag === undefined) return query;
  return query.andWhere(
    "EXISTS (SELECT 1 FROM contact_tag WHERE contact_tag.contact_id = entry.contact_id AND contact_tag.tag = :tag)",
    { tag },
  );
}

/** The contact IDs of a page of entries, plus one more if there is a next page. */
export async function idsIn(
  query: SelectQueryBuilder<ContactTag> | SelectQueryBuilder<ContactTerm>,
  { after, limit }: Page,
  direction: "ASC" | "DESC",
): Promise<string[]> {
  if (after !== undefined)
    query.andWhere(`entry.contact_id ${direction === "ASC" ? ">" : "<"} :after`, { after });
  query.select("entry.contact_id", "id").orderBy("entry.contact_id", direction);
  const rows = await query.limit(limit + 1).getRawMany<{ id: string }>();
  return rows.map(({ id }) => id);
}
