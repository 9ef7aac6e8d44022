import { In } from "typeorm";
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
    inChunks<true>(
      database,
      async (tx, _, limit) => {
        await lockContacts(tx, contactIds);
        const timers = await tx.find(Timer, { where: { subjectId: In([...contactIds]) }, take: limit });
        await cancelTimers(tx, lanes, timers, "erased");
        return timers.length < limit ? undefined : true;
      },
      options,
    );
