import type { EntityManager } from "typeorm";
import { organizationOf, type RequestContext } from "../../auth/context";
import { isUuid } from "../../common/uuid";
import { Decision } from "./decision.entity";

/** The decision with an ID, of the calling agent or of a member's organization; null if there is none. */
export async function findDecision(
  reader: EntityManager,
  context: RequestContext,
  id: string,
): Promise<Decision | null> {
  if (!isUuid(id)) return null;
  const { caller } = context;
  if (caller.kind === "agent") return reader.findOneBy(Decision, { id, agentId: caller.agent.id });
  return reader.findOneBy(Decision, { id, agent: { organizationId: organizationOf(context) } });
}
