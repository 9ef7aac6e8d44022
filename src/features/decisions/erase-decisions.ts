import { In, MoreThan } from "typeorm";
import { groupBy } from "../../common/group-by";
import { inChunks } from "../../database/chunks";
import type { Database } from "../../database/database";
import type { ErasureStep } from "../contacts/erasures";
import { Decision } from "./decision.entity";

/** Erases the content of decisions about erased contacts; metadata such as the rule and the outcome remains. */
export const eraseDecisions =
  (database: Database): ErasureStep =>
  (contactIds, options) =>
    inChunks<string>(
      database,
      async (tx, after, limit) => {
        const rows = await tx.find(Decision, {
          where: { contactId: In([...contactIds]), ...(after !== undefined && { id: MoreThan(after) }) },
          select: ["id", "situationType"],
          order: { id: "ASC" },
          take: limit,
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
        return rows.length < limit ? undefined : rows.at(-1)?.id;
      },
      options,
    );
