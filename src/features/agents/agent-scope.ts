import type { EntityManager } from "typeorm";
import { organizationOf, type RequestContext } from "../../auth/context";
import { isUuid } from "../../common/uuid";
import { InvalidInput, noSuch } from "../../errors";
import { Agent } from "./agent.entity";

/**
 * The ID of the agent that a call is about: the agent of an API key, or the one that a member passes.
 * @param path path of the argument, for the problem
 * @throws GatewayError `invalid_request` if a key passes an agent or a member does not; `not_found` for an agent that
 *   does not belong to the caller's organization
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

/** Locks the row of an agent until the transaction ends, for changes that must not run concurrently. */
export async function lockAgent(tx: EntityManager, agentId: string): Promise<void> {
  await tx.update(Agent, { id: agentId }, { createdAt: () => "created_at" });
}
