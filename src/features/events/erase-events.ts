import { In, Raw } from "typeorm";
import { groupBy } from "../../common/group-by";
import { type ChunkOptions, inChunks } from "../../database/chunks";
import type { Database } from "../../database/database";
import { nextOfParents } from "../../database/next-of-parents";
import { Event, OF_CONTACT } from "./event.entity";

/** SQL for the data that remains in an event about an erased contact. */
const ERASED = `'{"id":"' || substr(subject, ${"contact:".length + 1}) || '"}'`;

const HAS_DATA = { type: Raw(() => `${OF_CONTACT} AND type <> 'contact.erased'`) };

/** Erases contact data from events about erased contacts; other events contain none. */
export const eraseEvents =
  (database: Database) =>
  (contactIds: readonly string[], options: ChunkOptions): Promise<boolean> =>
    inChunks<Event>(
      database,
      async (tx, after, limit) => {
        const events = await nextOfParents(tx, Event, {
          index: ["subject", "position"],
          parents: contactIds.map((id) => `contact:${id}`),
          where: HAS_DATA,
          select: ["subject", "position", "agentId"],
          after,
          limit,
        });
        for (const [agentId, ofOne] of groupBy(events, (event) => event.agentId))
          await tx
            .createQueryBuilder()
            .update(Event)
            .set({ data: () => ERASED })
            .where({ agentId, position: In(ofOne.map(({ position }) => position)) })
            .execute();
        return events.length < limit ? undefined : events.at(-1);
      },
      options,
    );
