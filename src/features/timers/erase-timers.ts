import { inChunks } from "../../database/chunks";
import type { Database } from "../../database/database";
import { nextOfParents } from "../../database/next-of-parents";
import type { Lanes } from "../../delivery/lanes";
import type { ErasureStep } from "../contacts/erasures";
import { lockContacts } from "../contacts/known-contact";
import { Timer } from "./timer.entity";
import { cancelTimers } from "./waiting-timers";

/** Cancels erased contacts' timers. No new ones are set, because the contacts are erased. */
export const eraseTimers =
  (database: Database, lanes: Lanes): ErasureStep =>
  (contactIds, options) =>
    inChunks<Timer>(
      database,
      async (tx, after, limit) => {
        await lockContacts(tx, contactIds);
        const timers = await nextOfParents(tx, Timer, {
          index: ["subjectId", "key"],
          parents: contactIds,
          after,
          limit,
        });
        await cancelTimers(tx, lanes, timers, "erased");
        return timers.length < limit ? undefined : timers.at(-1);
      },
      options,
    );
