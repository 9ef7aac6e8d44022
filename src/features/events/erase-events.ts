import { MoreThan, Not } from "typeorm";
import { type ChunkOptions, inChunks } from "../../database/chunks";
import type { Database } from "../../database/database";
import { Event, OF_CONTACT } from "./event.entity";

/**
 * Erases the content of events about an erased contact; events about its decisions, conversations and messages have
 * none.
 */
export const eraseEvents =
  (database: Database) =>
  (contactId: string, options: ChunkOptions): Promise<boolean> =>
    inChunks<string>(
      database,
      async (tx, after = "0", limit) => {
        const rows = await tx
          .createQueryBuilder(Event, "event")
          .where({ subject: `contact:${contactId}`, position: MoreThan(after), type: Not("contact.erased") })
          .andWhere(OF_CONTACT)
          .orderBy("event.position")
          .take(limit)
          .getMany();
        for (const { agentId, position } of rows)
          await tx.update(Event, { agentId, position }, { data: { id: contactId } });
        return rows.length < limit ? undefined : rows.at(-1)?.position;
      },
      options,
    );
