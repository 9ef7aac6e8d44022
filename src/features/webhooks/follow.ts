import type { EntityManager } from "typeorm";
import type { Tx } from "../../database/unit-of-work";
import { Agent } from "../agents/agent.entity";
import { WebhookCursor } from "./webhook-cursor.entity";
import type { WebhookEndpoint } from "./webhook-endpoint.entity";

/** The properties of an endpoint that determine which agents' events it receives. */
export type Followed = Pick<WebhookEndpoint, "id" | "organizationId" | "agentId">;

/** Returns the IDs of the agents whose events an endpoint receives. */
export async function agentsOf(
  reader: EntityManager,
  { organizationId, agentId }: Followed,
): Promise<string[]> {
  if (agentId !== null) return [agentId];
  const agents = await reader.find(Agent, {
    select: ["id"],
    where: { organizationId },
    order: { id: "ASC" },
  });
  return agents.map(({ id }) => id);
}

/** Locks an endpoint's cursors until the transaction ends. */
export async function lockCursors(tx: Tx, endpointId: string): Promise<void> {
  const cursors = tx.createQueryBuilder(WebhookCursor, "cursor").where({ endpointId });
  await tx.lock(cursors.orderBy("cursor.agent_id")).getMany();
}

/** Advances an endpoint's cursors, so that it receives all future events but not the events that it has missed. */
export async function followFromNow(tx: Tx, endpoint: Followed): Promise<void> {
  const { id, organizationId, agentId } = endpoint;
  await tx.query(
    `insert into webhook_cursor (endpoint_id, agent_id, position)
     select cast($1 as varchar(36)), stream.agent_id, stream.last
     from agent_stream stream join agent on agent.id = stream.agent_id
     where agent.organization_id = $2 and agent.deleted_at is null${agentId === null ? "" : " and agent.id = $3"}
     on conflict (endpoint_id, agent_id) do update set position = excluded.position`,
    [id, organizationId, ...(agentId === null ? [] : [agentId])],
  );
}
