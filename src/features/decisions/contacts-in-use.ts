import type { EntityManager } from "typeorm";
import type { Timestamp } from "../../common/time";
import { leastUuidAt } from "../../common/uuid";
import { placeholders } from "../../database/returning";

/** Contacts with recent or pending decisions. */
export async function contactsDecidedAbout(
  reader: EntityManager,
  contactIds: readonly string[],
  since: Timestamp,
): Promise<string[]> {
  const rows: { id: string }[] = await reader.query(
    `select distinct contact_id as id from decision
     where (id >= $1 or state = 'deciding') and contact_id in ${placeholders(1, contactIds.length, 2)}`,
    [leastUuidAt(Date.parse(since)), ...contactIds],
  );
  return rows.map(({ id }) => id);
}
