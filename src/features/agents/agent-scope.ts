import {
  type EntityManager,
  type EntityTarget,
  type FindOptionsWhere,
  IsNull,
  type ObjectLiteral,
} from "typeorm";
import { organizationOf, type RequestContext } from "../../auth/context";
import { isUuid } from "../../common/uuid";
import { coalesceInTx } from "../../database/coalesce-in-tx";
import type { Tx } from "../../database/unit-of-work";
import { InvalidInput, noSuch } from "../../errors";
import type { Part } from "../../pagination/page-of-parts";
import { Agent } from "./agent.entity";

/**
 * Returns the ID of the agent that a call acts on: the API key's agent, or the agent that a member specifies.
 * @param path path of the argument in error messages
 * @throws GatewayError `invalid_request` if a key passes an agent or a member does not; `not_found` for an
 *   agent outside the caller's organization
 */
export async function scopedAgentId(
  reader: EntityManager,
  context: RequestContext,
  agentId: string | null | undefined,
  path = "agentId",
): Promise<string> {
  const { caller } = context;
  if (caller.kind === "agent") {
    if (agentId != null) throw new InvalidInput([{ path, message: "is not allowed with an API key" }]);
    return caller.agent.id;
  }
  if (agentId == null) throw new InvalidInput([{ path, message: "is required" }]);
  const organizationId = organizationOf(context);
  const found = isUuid(agentId) && (await reader.existsBy(Agent, { id: agentId, organizationId }));
  if (!found) throw noSuch("agent");
  return agentId;
}

/**
 * Returns the IDs of the agents whose resources a list contains: the API key's agent or the agent that a
 * member specifies. If a member specifies none, returns the IDs of all agents in the organization.
 * @throws GatewayError `invalid_request` if a key passes an agent, `not_found`
 */
export async function scopedAgentIds(
  reader: EntityManager,
  context: RequestContext,
  agentId: string | null | undefined,
): Promise<string[]> {
  if (agentId != null || context.caller.kind === "agent")
    return [await scopedAgentId(reader, context, agentId)];
  const where = { organizationId: organizationOf(context) };
  return (await reader.find(Agent, { select: ["id"], where })).map(({ id }) => id);
}

/** Splits a list of agents' resources into one part for each agent. */
export const partsOfAgents = (alias: string, agentIds: readonly string[]): Part[] =>
  agentIds.map((id, i) => ({
    condition: `${alias}.agent_id = :agent${i}`,
    parameters: { [`agent${i}`]: id },
  }));

/** Reads a list of an agent's resources; null for a deleted agent, whose rows may still exist. */
export const unlessDeleted = async <List>(
  { id, deletedAt }: Agent,
  read: (id: string) => Promise<List>,
): Promise<List | null> => (deletedAt == null ? read(id) : null);

/**
 * Finds a row by ID; null unless it belongs to the calling agent or, for members, to an agent in their organization.
 */
export async function findOfCaller<
  Row extends ObjectLiteral & { id: string; agentId: string; agent?: Agent },
>(
  reader: EntityManager,
  context: RequestContext,
  entity: EntityTarget<Row>,
  id: string,
): Promise<Row | null> {
  if (!isUuid(id)) return null;
  const { caller } = context;
  const owner =
    caller.kind === "agent"
      ? { agentId: caller.agent.id }
      : { agent: { organizationId: organizationOf(context) } };
  return reader.findOneBy(entity, { id, ...owner } as FindOptionsWhere<Row>);
}

/** Locks an agent's row until the transaction ends, or throws `not_found` if it was deleted concurrently. */
export const lockAgent = coalesceInTx(
  async (tx: Tx, agentIds: readonly string[]): Promise<(Error | undefined)[]> => {
    const missing = new Set<string>();
    // The fixed order prevents deadlocks between transactions that lock the same agents.
    for (const id of [...new Set(agentIds)].sort()) {
      const present = { id, deletedAt: IsNull() };
      const { affected } = await tx.update(Agent, present, { createdAt: () => "created_at" });
      if (affected !== 1) missing.add(id);
    }
    return agentIds.map((id) => (missing.has(id) ? noSuch("agent") : undefined));
  },
);

/** Keeps an agent from being deleted until the transaction ends. Throws `not_found` if the agent is already deleted. */
export async function keepAgent(tx: Tx, agentId: string): Promise<void> {
  const rows: unknown[] = await tx.query(
    `select id from agent where id = $1 and deleted_at is null ${tx.shareLock("agent")}`,
    [agentId],
  );
  if (rows.length === 0) throw noSuch("agent");
}
