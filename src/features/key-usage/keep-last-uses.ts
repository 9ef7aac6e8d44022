import type { Timestamp } from "../../common/time";
import { allReturning } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";

/**
 * Copies last uses to the key rows before the hourly rows that contain them are deleted. A use is at first recorded
 * only in an hourly row, so that using a key does not update the key's row.
 * @param before hours before this time are deleted
 * @param limit max keys
 * @returns the number of updated keys
 */
export async function keepLastUses(tx: Tx, before: Timestamp, limit: number): Promise<number> {
  const kept = await allReturning(
    tx,
    `update api_key set last_used_at = last_use.at, last_used_ip = last_use.ip
     from (
       select used.key_id as key_id, used.last_used_at as at, used.last_used_ip as ip
       from hourly_use as used join api_key as known on known.id = used.key_id
       where used.hour < $1 and used.last_used_at is not null
         and (known.last_used_at is null or known.last_used_at < used.last_used_at)
         and not exists (
           select 1 from hourly_use as later
           where later.key_id = used.key_id and later.hour > used.hour and later.last_used_at is not null
         )
       limit $2
     ) as last_use
     where api_key.id = last_use.key_id
     returning api_key.id`,
    [before, limit],
  );
  return kept.length;
}
