import { MoreThan } from "typeorm";
import { inChunks } from "../../database/chunks";
import type { Database } from "../../database/database";
import type { ErasureStep } from "../contacts/erasures";
import { Decision } from "./decision.entity";

/** Erases the content of decisions about an erased contact, except time, version, rule and outcome. */
export const eraseDecisions =
  (database: Database): ErasureStep =>
  (contactId, options) =>
    inChunks<string>(
      database,
      async (tx, after, limit) => {
        const rows = await tx.find(Decision, {
          where: { contactId, ...(after !== undefined && { id: MoreThan(after) }) },
          select: ["id", "situation"],
          order: { id: "ASC" },
          take: limit,
        });
        for (const { id, situation } of rows) {
          const empty = {
            situation: { type: situation.type, data: {} },
            situationKey: null,
            snapshot: null,
            effects: [],
            explanation: null,
          };
          await tx.update(Decision, { id }, empty);
        }
        return rows.length < limit ? undefined : rows.at(-1)?.id;
      },
      options,
    );
