import type { EntityManager } from "typeorm";
import { v7 as uuid } from "uuid";
import type { Caller } from "../../auth/caller";
import type { RequestContext } from "../../auth/context";
import { timestamp } from "../../common/time";
import { ActorKind, type AuditAction, AuditEntry } from "./audit-entry.entity";

/** What something was done to, by id and by the name that it has at that time. */
export interface AuditTarget {
  id: string;
  name: string;
  organizationId: string;
}

/**
 * Writes one entry, in the transaction of what it tells of: neither is ever there without the other.
 * @param detail what changed, in words, where the action leaves it open
 */
export async function recordAudit(
  tx: EntityManager,
  { caller, origin }: RequestContext,
  action: AuditAction,
  target: AuditTarget,
  detail: string | null = null,
): Promise<void> {
  await tx.insert(AuditEntry, {
    id: uuid(),
    organizationId: target.organizationId,
    action,
    ...actorOf(caller),
    targetId: target.id,
    targetName: target.name,
    detail,
    ...origin,
    count: 1,
    countedAs: null,
    createdAt: timestamp(),
  });
}

/** Who a caller is, in the words of the log. */
export function actorOf(caller: Caller): Pick<AuditEntry, "actorKind" | "actorId" | "actorName"> {
  switch (caller.kind) {
    case "member":
      return { actorKind: ActorKind.member, actorId: caller.id, actorName: caller.email };
    case "agent":
      return { actorKind: ActorKind.agent, actorId: caller.key.id, actorName: caller.key.hint };
    case "operator":
      return { actorKind: ActorKind.operator, actorId: null, actorName: "command line" };
    case "anonymous":
      return { actorKind: ActorKind.anonymous, actorId: null, actorName: "anonymous" };
  }
}
