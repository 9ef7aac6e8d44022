import { MoreThan, Not } from "typeorm";
import { inChunks } from "../../database/chunks";
import type { Database } from "../../database/database";
import { Event } from "./event.entity";

/** Empties the events about an erased contact; those about its conversations and messages hold nothing but IDs and states. */
export const eraseEvents =
  (database: Database) =>
  (contactId: string, signal: AbortSignal): Promise<boolean> =>
    inChunks<string>(
      database,
      async (tx, after = "0", limit) => {
        const where = {
          subject: `contact:${contactId}`,
          position: MoreThan(after),
          type: Not("contact.erased"),
        };
        const rows = await tx.find(Event, { where, order: { position: "ASC" }, take: limit });
        for (const { agentId, position } of rows)
          await tx.update(Event, { agentId, position }, { data: { id: contactId } });
        return rows.length < limit ? undefined : rows.at(-1)?.position;
      },
      signal,
    );
