import { uuidAfter } from "../common/uuid";
import { placeholders } from "./returning";
import type { Tx } from "./unit-of-work";

/** The last ID of an agent's rows in a table; null without any. */
export interface LastId {
  agentId: string;
  id: string | null;
}

/** Generates IDs that sort after the last ones of agents, even if the clocks of the processes differ. */
export function idsAfter(lastIds: readonly LastId[]): (agentId: string) => string {
  const last = new Map(lastIds.map(({ agentId, id }) => [agentId, id]));
  return (agentId) => {
    const id = uuidAfter(last.get(agentId));
    last.set(agentId, id);
    return id;
  };
}

/** Generates IDs that sort after all rows of some agents in a table whose insert order the transaction has locked. */
export async function nextIds(
  tx: Tx,
  table: "contact" | "conversation",
  agentIds: readonly string[],
): Promise<(agentId: string) => string> {
  const distinct = [...new Set(agentIds)];
  return idsAfter(
    await tx.query(
      `with writing (agent_id) as (values ${placeholders(distinct.length, 1)})
       select agent_id as "agentId", (select max(id) from ${table} where agent_id = writing.agent_id) as id from writing`,
      distinct,
    ),
  );
}
