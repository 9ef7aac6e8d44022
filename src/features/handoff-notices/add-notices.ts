import { In } from "typeorm";
import { v7 as uuid } from "uuid";
import { timestamp } from "../../common/time";
import type { Change } from "../../database/change-together";
import { coalesceInTx } from "../../database/coalesce-in-tx";
import { insertsOf } from "../../database/insert-all";
import { allReturning, padded, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import { HandoffNotice } from "./handoff-notice.entity";
import { HandoffSubscription } from "./handoff-subscription.entity";

/** Lane kind for notices; a lane has the ID of its notice. */
export const NOTICE_LANE = "notice";

interface Handoff {
  lanes: Lanes;
  conversation: { id: string; agentId: string; assigneeId: string | null };
  /** ID of the member who handed off the conversation; no notice is sent to this member. */
  by?: string | undefined;
}

/**
 * Adds a handoff notice for each member who subscribed to the agent. If the conversation has an assignee,
 * adds one only for the assignee. Skips members who already have a notice about the conversation. Must run in
 * the handoff's transaction, which has locked the conversation.
 */
export const addNotices = coalesceInTx(async (tx: Tx, handoffs: readonly Handoff[]) => {
  const agentIds = [...new Set(handoffs.map(({ conversation: { agentId } }) => agentId))];
  const subscriptions = await tx.findBy(HandoffSubscription, { agentId: In(agentIds) });
  const createdAt = timestamp();
  const notices = handoffs.flatMap(({ conversation: { id: conversationId, agentId, assigneeId }, by }) =>
    subscriptions
      .filter((each) => each.agentId === agentId && each.memberId !== by)
      .filter(({ memberId }) => assigneeId === null || assigneeId === memberId)
      .map(({ memberId }) => ({
        ...{ id: uuid(), agentId, conversationId, memberId, createdAt },
        ...{ attempts: 0, retryAt: null, sentAt: null },
      })),
  );
  const added = new Set<string>();
  for (const { sql, parameters } of insertsOf(tx, HandoffNotice, notices, { orIgnore: true }))
    for (const { id } of await allReturning<{ id: string }>(tx, `${sql} RETURNING id`, parameters))
      added.add(id);
  const lanes = notices
    .filter(({ id }) => added.has(id))
    .map(({ id, agentId }) => ({ id, agentId, kind: NOTICE_LANE }));
  await handoffs[0]?.lanes.add(tx, lanes);
  return handoffs.map(() => undefined);
});

/** Returns the change that deletes notices about conversations that a person has answered or opened. */
export function deletingNotices(conversationIds: readonly string[]): Change[] {
  if (conversationIds.length === 0) return [];
  const ids = padded(conversationIds);
  return [
    {
      sql: `DELETE FROM handoff_notice WHERE conversation_id IN ${placeholders(1, ids.length)}`,
      parameters: ids,
    },
  ];
}
