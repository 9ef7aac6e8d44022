import { In } from "typeorm";
import { groupBy } from "../../common/group-by";
import { inChunks } from "../../database/chunks";
import type { Database } from "../../database/database";
import { nextOfParents } from "../../database/next-of-parents";
import type { ErasureStep } from "../contacts/erasures";
import { Decision } from "./decision.entity";

/** Erases the content of erased contacts' decisions, but not metadata such as the rule and the outcome. */
export const eraseDecisions =
  (database: Database): ErasureStep =>
  (contactIds, options) =>
    inChunks<Decision>(
      database,
      async (tx, after, limit) => {
        const rows = await nextOfParents(tx, Decision, {
          index: ["contactId", "id"],
          parents: contactIds,
          select: ["contactId", "id", "situationType"],
          after,
          limit,
        });
        for (const [type, ofType] of groupBy(rows, ({ situationType }) => situationType)) {
          const empty = {
            situation: { type, data: {} },
            situationKey: null,
            snapshot: null,
            effects: [],
            explanation: null,
          };
          await tx.update(Decision, { id: In(ofType.map(({ id }) => id)) }, empty);
        }
        return rows.length < limit ? undefined : rows.at(-1);
      },
      options,
    );
