import { inChunks } from "../../database/chunks";
import type { Database } from "../../database/database";
import type { Lanes } from "../../delivery/lanes";
import type { ErasureStep } from "../contacts/erasures";
import { lockContacts } from "../contacts/known-contact";
import { Timer } from "./timer.entity";
import { cancelTimers } from "./waiting-timers";

/** Cancels an erased contact's timers; the contact gets no new timers. */
export const eraseTimers =
  (database: Database, lanes: Lanes): ErasureStep =>
  (contactId, options) =>
    inChunks<never>(
      database,
      async (tx) => {
        await lockContacts(tx, [contactId]);
        await cancelTimers(tx, lanes, await tx.findBy(Timer, { subjectId: contactId }), "erased");
        return undefined;
      },
      options,
    );
