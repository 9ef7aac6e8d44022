import { In } from "typeorm";
import { organizationOf, type RequestContext } from "../../auth/context";
import { timestamp } from "../../common/time";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import { recordAudit } from "../audit/audit";
import type { Contact } from "../contacts/contact.entity";
import { recordEvents } from "../events/record-events";
import { addNotices } from "../handoff-notices/add-notices";
import { Message } from "../messages/message.entity";
import { MessageError } from "../messages/message.enums";
import { WaitingTimers } from "../timers/waiting-timers";
import { cancelAll, idsOf, unsent, withUnsent } from "./cancel-messages";
import { Conversation, ConversationState, Handler } from "./conversation.entity";
import type { ConversationChange } from "./conversation.inputs";
import { conversationEvent, typesOfChange } from "./conversation-events";
import { logChange } from "./conversation-log";
import { all, type PlannedChange, setHandedOff } from "./planned-change";

type ChangedQueue = Pick<ConversationChange, "canceled" | "carried" | "inFlight">;

/**
 * Stores a change to a locked conversation, and cancels or carries over its queued messages.
 * @param context the caller, for the conversation's log; undefined to log nothing
 * @returns the IDs of the affected messages
 */
export async function storeChange(
  tx: Tx,
  lanes: Lanes,
  conversation: Conversation,
  planned: PlannedChange,
  context?: RequestContext,
): Promise<ChangedQueue> {
  const { change, releaseReason } = planned;
  const { id } = conversation;
  // Waits for any delivery that has locked the conversation's lane. The next delivery sees this change.
  await lanes.lock(tx, id);
  const version = conversation.version + 1;
  const updatedAt = timestamp();
  const { handler } = change;
  const humanAt = handler === Handler.human ? updatedAt : null;
  const stored = {
    ...change,
    ...(handler !== undefined && { humanAt, waitingSince: humanAt }),
    ...(change.state === ConversationState.closed && { waitingSince: null }),
    version,
    updatedAt,
  };
  await tx.update(Conversation, { id }, stored);
  Object.assign(conversation, stored);
  if (context !== undefined) await logChange(tx, context, conversation, planned);
  recordEvents(
    tx,
    typesOfChange(change).map((type) =>
      conversationEvent(type, conversation, releaseReason && { reason: releaseReason }),
    ),
  );
  const queues = await restamp(tx, lanes, conversation, planned);
  await lanes.wake(tx, [id]);
  return queues;
}

/**
 * Closes locked open conversations like `storeChange`; those without unsent messages in combined statements.
 */
export async function closeAll(tx: Tx, lanes: Lanes, conversations: readonly Conversation[]): Promise<void> {
  if (conversations.length === 0) return;
  const change = { state: ConversationState.closed };
  const ids = idsOf(conversations);
  await lanes.lockAll(tx, ids);
  const unsent = await withUnsent(tx, ids);
  const idle = conversations.filter(({ id }) => !unsent.has(id));
  if (idle.length > 0) {
    const stored = { ...change, waitingSince: null, updatedAt: timestamp() };
    await tx.update(Conversation, { id: In(idsOf(idle)) }, { ...stored, version: () => "version + 1" });
    for (const each of idle) Object.assign(each, stored, { version: each.version + 1 });
    recordEvents(
      tx,
      idle.map((each) => conversationEvent("conversation.closed", each)),
    );
    await lanes.wake(tx, idsOf(idle));
  }
  for (const each of conversations)
    if (unsent.has(each.id)) await storeChange(tx, lanes, each, { change, cancel: all(MessageError.closed) });
}

/**
 * Stores a change with `storeChange`, and audits it if necessary. Also cancels or wakes the contact's timers,
 * adds handoff notices, and ends the contact's handoff with their last open conversation.
 */
export async function storeAudited(
  tx: Tx,
  lanes: Lanes,
  context: RequestContext,
  conversation: Conversation,
  planned: PlannedChange,
  { contact, timers }: { contact: Contact | null; timers: WaitingTimers },
): Promise<ChangedQueue> {
  const queues = await storeChange(tx, lanes, conversation, planned, context);
  const { handler, lineId, state } = planned.change;
  if (handler === Handler.human) {
    await timers.cancelOn("handoff", conversation.id);
    await addNotices(tx, { lanes, conversation, by: planned.handedOffBy });
  }
  if (state === ConversationState.closed) {
    await timers.cancelOn("closed", conversation.id);
    const { contactId } = conversation;
    const isOpen = { contactId, state: ConversationState.open };
    if (contact !== null && contact.handedOffAt !== null && !(await tx.existsBy(Conversation, isOpen)))
      await setHandedOff(tx, contact, null);
  }
  if (lineId !== undefined || state === ConversationState.closed) await timers.wake(conversation.id);
  const { id } = conversation;
  if (planned.audit !== undefined) {
    const target = { id, name: id, organizationId: organizationOf(context) };
    await recordAudit(tx, context, planned.audit.action, target, planned.audit.changes);
  }
  return queues;
}

/** Cancels a conversation's unsent messages, or carries them over to its new version. */
async function restamp(
  tx: Tx,
  lanes: Lanes,
  conversation: Conversation,
  { change, cancel }: PlannedChange,
): Promise<ChangedQueue> {
  const { version: fence } = conversation;
  // A change of the handler ends the contact's wait.
  const carriedOver = { fence, ...(change.handler !== undefined && { waitedSince: null }) };
  const { waiting, sending } = await unsent(tx, conversation.id);
  const isCanceled = (message: Message) => cancel?.isMeant(message) ?? false;
  const canceled = waiting.filter(isCanceled);
  const carried = idsOf(waiting.filter((message) => !isCanceled(message)));
  if (cancel !== undefined) await cancelAll(tx, lanes, conversation, canceled, cancel.errorCode);
  // A new line has its own rate and its own receiver.
  const toNewLine = change.lineId !== undefined && { heldReason: null, notBefore: null };
  if (carried.length > 0) await tx.update(Message, { id: In(carried) }, { ...carriedOver, ...toNewLine });
  // A message that fails while being sent is retried like a queued one, unless a change has canceled it.
  if (sending?.fence === fence - 1 && !isCanceled(sending))
    await tx.update(Message, { id: sending.id }, carriedOver);
  return { canceled: idsOf(canceled), carried, inFlight: sending?.id ?? null };
}
