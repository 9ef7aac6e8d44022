import { And, LessThanOrEqual, MoreThan } from "typeorm";
import { inChunks } from "../../database/chunks";
import type { Database } from "../../database/database";
import type { PurgeStep } from "../agents/agent-purge";
import { AgentStream } from "./agent-stream.entity";
import { Event } from "./event.entity";

/** Deletes a deleted agent's events, and then its position. */
export const purgeEvents =
  (database: Database): PurgeStep =>
  async (agentId, options) => {
    const isDone = await inChunks<string>(
      database,
      async (tx, after = "0", limit) => {
        const rows = await tx.find(Event, {
          select: ["agentId", "position"],
          where: { agentId, position: MoreThan(after) },
          order: { position: "ASC" },
          take: limit,
        });
        const last = rows.at(-1);
        if (last !== undefined)
          await tx.delete(Event, { agentId, position: And(MoreThan(after), LessThanOrEqual(last.position)) });
        return rows.length < limit ? undefined : last?.position;
      },
      options,
    );
    if (isDone) await database.writeFor(options.owner, (tx) => tx.delete(AgentStream, { agentId }));
    return isDone;
  };
