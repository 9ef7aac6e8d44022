import { v7 as uuid } from "uuid";
import type { Caller, Origin } from "../../auth/caller";
import type { RequestContext } from "../../auth/context";
import { type Timestamp, timestamp } from "../../common/time";
import { ORGANIZATION_KEY } from "../../credentials/token-parts";
import { insertAll } from "../../database/insert-all";
import type { Tx } from "../../database/unit-of-work";
import type { AuditAction } from "./audit-actions";
import { type Changes, changesOf } from "./audit-change";
import { ActorKind, AuditEntry } from "./audit-entry.entity";

/** The resource that an action affects, with its current name. */
export interface AuditTarget {
  id: string;
  name: string;
  /** Hint of an API key, which identifies the key even if its name was reused. */
  hint?: string;
  organizationId: string;
}

/** Records an action and the fields that it may have changed, in the transaction that performs it. */
export async function recordAudit(
  tx: Tx,
  context: RequestContext,
  action: AuditAction,
  target: AuditTarget,
  changes: Changes = {},
): Promise<void> {
  await tx.insert(AuditEntry, entryOf(context, action, target, changes));
}

/** Records the same action on several resources, the way `recordAudit` does for one. */
export const recordAudits = (
  tx: Tx,
  context: RequestContext,
  action: AuditAction,
  targets: readonly AuditTarget[],
): Promise<void> =>
  insertAll(
    tx,
    AuditEntry,
    targets.map((target) => entryOf(context, action, target, {})),
  );

const entryOf = (
  { caller, origin }: RequestContext,
  action: AuditAction,
  target: AuditTarget,
  changes: Changes,
) => ({
  id: uuid(),
  action,
  ...actorOf(caller),
  ...columnsOf(target),
  changes: changesOf(changes),
  ...origin,
  count: 1,
  countedAs: null,
  createdAt: timestamp(),
});

/** Occurrences of the same action by an API key, which a single audit entry counts. */
export interface RepeatedAction {
  /** ID of the entry; it contains the time of the first occurrence. */
  id: string;
  action: AuditAction;
  /** Identifies the audit entry that counts the occurrences. */
  countedAs: string;
  key: Required<AuditTarget>;
  origin: Origin;
  at: Timestamp;
  count: number;
}

/** Adds occurrences of an action to the audit entry that counts them; creates the entry if necessary. */
export async function recordRepeated(
  tx: Tx,
  { id, action, countedAs, key, origin, at, count }: RepeatedAction,
): Promise<void> {
  const entry = {
    ...{ id, action, ...actorOfKey(key), ...columnsOf(key), changes: [], ...origin, countedAs },
    count: 0,
    createdAt: at,
  };
  await insertAll(tx, AuditEntry, [entry], { orIgnore: true });
  // Increments even a new entry, because another process may have created it first.
  await tx.increment(AuditEntry, { countedAs }, "count", count);
}

/** Returns the columns of an audit entry that identify the caller as its actor. */
export function actorOf(caller: Caller): Pick<AuditEntry, "actorKind" | "actorId" | "actorName"> {
  switch (caller.kind) {
    case "member":
      return { actorKind: ActorKind.member, actorId: caller.id, actorName: caller.email };
    case "agent":
    case "organizationKey":
      return actorOfKey(caller.key);
    case "operator":
      return { actorKind: ActorKind.operator, actorId: null, actorName: "command line" };
    case "system":
      return { actorKind: ActorKind.system, actorId: null, actorName: "gateway" };
    case "anonymous":
      return { actorKind: ActorKind.anonymous, actorId: null, actorName: "anonymous" };
  }
}

const actorOfKey = ({ id, hint }: { id: string; hint: string }) => ({
  actorKind: hint.startsWith(`${ORGANIZATION_KEY}_`) ? ActorKind.organization_key : ActorKind.agent,
  actorId: id,
  actorName: hint,
});

const columnsOf = ({ id, name, hint, organizationId }: AuditTarget) => ({
  organizationId,
  targetId: id,
  targetName: name,
  targetHint: hint ?? null,
  detail: null,
});
