import { uuidAfter } from "../common/uuid";
import { placeholders } from "./returning";
import type { Tx } from "./unit-of-work";

/** Generates IDs after all IDs of the agents' rows, even if clocks differ; the table's insert order must be locked. */
export async function nextIds(
  tx: Tx,
  table: "contact" | "conversation" | "message",
  owned: readonly { agentId: string }[],
): Promise<(agentId: string) => string> {
  const distinct = [...new Set(owned.map(({ agentId }) => agentId))];
  // Excludes erased contacts, as the index on contacts does.
  const listed = table === "contact" ? " and contact.erased_at is null" : "";
  // Reads the last index entry up to the agent, because GROUP BY would read all of the agent's rows, and `=` can make
  // PostgreSQL scan other agents' rows.
  const rows: { agentId: string; id: string | null }[] = await tx.query(
    `with writing (agent_id) as (values ${placeholders(distinct.length, 1)})
     select agent_id as "agentId",
       (select case when ${table}.agent_id = writing.agent_id then ${table}.id end from ${table}
        where ${table}.agent_id <= writing.agent_id${listed} order by ${table}.agent_id desc, ${table}.id desc limit 1) as id
     from writing`,
    distinct,
  );
  const last = new Map(rows.map(({ agentId, id }) => [agentId, id]));
  return (agentId) => {
    const id = uuidAfter(last.get(agentId));
    last.set(agentId, id);
    return id;
  };
}
