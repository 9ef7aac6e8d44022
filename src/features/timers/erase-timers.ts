import { In, MoreThan } from "typeorm";
import { inChunks } from "../../database/chunks";
import type { Database } from "../../database/database";
import type { Lanes } from "../../delivery/lanes";
import type { ErasureStep } from "../contacts/erasures";
import { lockContacts } from "../contacts/known-contact";
import { Timer } from "./timer.entity";
import { cancelTimers } from "./waiting-timers";

/** Cancels the timers of erased contacts; the contacts get no new timers. */
export const eraseTimers =
  (database: Database, lanes: Lanes): ErasureStep =>
  (contactIds, options) =>
    inChunks<string>(
      database,
      async (tx, after = "", limit) => {
        await lockContacts(tx, contactIds);
        const timers = await tx.find(Timer, {
          where: { subjectId: In([...contactIds]), id: MoreThan(after) },
          order: { id: "ASC" },
          take: limit,
        });
        await cancelTimers(tx, lanes, timers, "erased");
        return timers.length < limit ? undefined : timers.at(-1)?.id;
      },
      options,
    );
