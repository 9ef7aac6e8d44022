import { type ChunkOptions, inChunks } from "../../database/chunks";
import type { Database } from "../../database/database";
import { allReturning, placeholders } from "../../database/returning";
import { OF_CONTACT } from "./event.entity";

/** SQL for the data left in an event about an erased contact. */
const ERASED = `'{"id":"' || substr(subject, ${"contact:".length + 1}) || '"}'`;

/**
 * Erases contact data from events about erased contacts. Events about their decisions, conversations and messages
 * contain no such data.
 */
export const eraseEvents =
  (database: Database) =>
  (contactIds: readonly string[], options: ChunkOptions): Promise<boolean> =>
    inChunks<true>(
      database,
      async (tx, _, limit) => {
        const erased = await allReturning(
          tx,
          `update event set data = ${ERASED} where (agent_id, position) in (
             select agent_id, position from event
             where subject in ${placeholders(1, contactIds.length)} and ${OF_CONTACT} and type <> 'contact.erased'
               and data <> ${ERASED}
             limit ${limit})
           returning position`,
          contactIds.map((id) => `contact:${id}`),
        );
        return erased.length < limit ? undefined : true;
      },
      options,
    );
