import { v7 as uuid } from "uuid";
import type { RequestContext } from "../../auth/context";
import { timestamp } from "../../common/time";
import { coalesceInTx } from "../../database/coalesce-in-tx";
import { insertAll } from "../../database/insert-all";
import type { Tx } from "../../database/unit-of-work";
import { actorOf } from "../audit/audit";
import { type Conversation, ConversationState, Handler } from "./conversation.entity";
import {
  ConversationLogEntry,
  ConversationLogKind,
  REASON_MAX_LENGTH,
} from "./conversation-log-entry.entity";
import type { PlannedChange } from "./planned-change";

type Logged = Pick<ConversationLogEntry, "kind"> &
  Partial<Pick<ConversationLogEntry, "decisionId" | "reason" | "before" | "after">>;

/** Logs a planned change to a conversation, in the transaction that stores the change. */
export async function logChange(
  tx: Tx,
  context: RequestContext,
  conversation: Conversation,
  { change, lines, decisionId, reason }: PlannedChange,
): Promise<void> {
  const { lineId, handler, state } = change;
  const [before, after] = lines ?? [];
  const entries: Logged[] = [];
  if (lineId !== undefined) entries.push({ kind: ConversationLogKind.moved, before, after });
  if (handler === Handler.human) entries.push({ kind: ConversationLogKind.handed_off, reason });
  if (handler === Handler.agent) entries.push({ kind: ConversationLogKind.released });
  if (state === ConversationState.closed) entries.push({ kind: ConversationLogKind.closed });
  await Promise.all(entries.map((entry) => log(tx, context, conversation, { ...entry, decisionId })));
}

/** Adds an entry to a conversation's log. */
export const log = (
  tx: Tx,
  { caller }: RequestContext,
  { id: conversationId, agentId }: Conversation,
  { kind, decisionId = null, reason = null, before = null, after = null }: Logged,
): Promise<void> => {
  const { actorKind, actorName } = actorOf(caller);
  return insertEntry(tx, {
    ...{ id: uuid(), agentId, conversationId, kind, actorKind, actorName, decisionId, before, after },
    reason: reason === null ? null : [...reason].slice(0, REASON_MAX_LENGTH).join(""),
    createdAt: timestamp(),
  });
};

const insertEntry = coalesceInTx(async (tx: Tx, entries: readonly ConversationLogEntry[]) => {
  await insertAll(tx, ConversationLogEntry, entries);
  return entries.map(() => undefined);
});
