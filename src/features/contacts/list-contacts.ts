import { type EntityManager, In, type SelectQueryBuilder } from "typeorm";
import type { Page } from "../../pagination/connection";
import { Contact } from "./contact.entity";
import { ContactTag } from "./contact-tag.entity";

/** A list's normalized filters. */
export interface Filter {
  tag: string | undefined;
  ids: string[] | undefined;
}

export function listed(reader: EntityManager, agentId: string, { ids }: Filter) {
  const query = reader
    .createQueryBuilder(Contact, "contact")
    .where({ agentId })
    .andWhere("contact.erased_at IS NULL");
  return ids === undefined ? query : query.andWhere({ id: In(ids) });
}

/** Returns a query for the tag rows of contacts with the filter's tag; undefined if the filter has no tag. */
export function taggedEntries(reader: EntityManager, agentId: string, { tag, ids }: Filter) {
  if (tag === undefined) return undefined;
  const tagged = reader
    .createQueryBuilder(ContactTag, "entry")
    .where({ agentId })
    .andWhere("entry.tag = :tag", { tag });
  return ids === undefined ? tagged : tagged.andWhere({ contactId: In(ids) });
}

/** Returns the contact IDs on a page of tag rows, plus one more ID if there is a next page. */
export async function idsIn(
  query: SelectQueryBuilder<ContactTag>,
  { after, limit }: Page,
  direction: "ASC" | "DESC",
): Promise<string[]> {
  if (after !== undefined)
    query.andWhere(`entry.contact_id ${direction === "ASC" ? ">" : "<"} :after`, { after });
  query.select("entry.contact_id", "id").orderBy("entry.contact_id", direction);
  const rows = await query.limit(limit + 1).getRawMany<{ id: string }>();
  return rows.map(({ id }) => id);
}
