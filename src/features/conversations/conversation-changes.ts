import { In, Not } from "typeorm";
import { ownerOf } from "../../auth/caller";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { timestamp } from "../../common/time";
import { changeTogether } from "../../database/change-together";
import type { Database } from "../../database/database";
import type { Tx } from "../../database/unit-of-work";
import { updatesOf } from "../../database/updates-of";
import type { Lanes } from "../../delivery/lanes";
import { GatewayError, noSuch } from "../../errors";
import type { HookRegistry } from "../../schema/hooks";
import { findOfCaller } from "../agents/agent-scope";
import { assertStillAllowed } from "../api-keys/assert-accepted";
import { recordAudit } from "../audit/audit";
import type { AuditAction } from "../audit/audit-actions";
import type { Changes } from "../audit/audit-change";
import { lockContacts } from "../contacts/known-contact";
import { recordEvents } from "../events/record-events";
import { Line, LineState } from "../lines/line.entity";
import {
  IS_SCHEDULED,
  IS_UNSENT,
  Message,
  MessageAuthor,
  MessageError,
  MessageStatus,
} from "../messages/message.entity";
import { MESSAGES } from "../messages/message.metrics";
import { messageEvent } from "../messages/message-events";
import { WaitingTimers } from "../timers/waiting-timers";
import { conversationActions } from "./conversation.audit";
import { Conversation, ConversationState, Handler } from "./conversation.entity";
import {
  type ConversationChange,
  type ConversationChangeInput,
  type LineReference,
  type MoveConversationInput,
  PendingMessages,
} from "./conversation.inputs";
import { conversationEvent, typesOfChange } from "./conversation-events";
import { addressOn, lineOf } from "./destination";
import { assertOpen, lockConversations } from "./find-conversation";
import { sequencesOf, takePlaces } from "./queue-messages";

/** Max messages that `cancelQueued` cancels: an address may have many conversations. */
const MAX_CANCELED = 10;

/** Why a conversation was released: somebody did it, or nobody did within the configured time. */
export type ReleaseReason = "request" | "timeout";

declare module "../../schema/hooks" {
  interface Hooks {
    /** Adds to the transaction that releases a conversation and has locked the contact and the conversation. */
    conversationReleased: (tx: Tx, conversation: Conversation, reason: ReleaseReason) => Promise<void>;
  }
}

/**
 * Moves, hands off, releases and closes conversations. Each change increments the version: once it is acknowledged, no
 * message accepted earlier is sent as if the change had not been made.
 */
export class ConversationChanges {
  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
    private readonly hooks: HookRegistry,
  ) {}

  /**
   * Moves a conversation to another line. Moving it to its current line has no effect.
   * @throws GatewayError `not_found` (conversation, line), `version_conflict`, `not_deliverable`, or `conflict` for a
   *   closed conversation or if one with the same address is open on the line
   */
  move(
    context: RequestContext,
    { line, pending, ...args }: MoveConversationInput,
  ): Promise<ConversationChange> {
    return this.change(context, args, async (tx, conversation) => {
      assertOpen(conversation);
      return planMove(tx, conversation, line, pending);
    });
  }

  /**
   * Lets a human answer, and cancels the agent's queued messages.
   * @throws GatewayError `not_found`, `version_conflict`, or `conflict` for a closed conversation
   */
  handOff(context: RequestContext, args: ConversationChangeInput): Promise<ConversationChange> {
    return this.change(context, args, async (_, conversation) => {
      assertOpen(conversation);
      return planHandoff(conversation);
    });
  }

  /**
   * Lets the agent answer again.
   * @throws GatewayError `not_found`, `version_conflict`, or `conflict` for a closed conversation
   */
  release(context: RequestContext, args: ConversationChangeInput): Promise<ConversationChange> {
    return this.change(context, args, async (tx, conversation) => {
      assertOpen(conversation);
      if (conversation.handler === Handler.agent) return undefined;
      return this.planRelease(tx, conversation, "request");
    });
  }

  /**
   * Releases a conversation that nobody released in time.
   * @param context of the gateway itself
   * @param conversation an open one that a human handles; its row, its contact and its lane are locked
   */
  async releaseInTime(tx: Tx, context: RequestContext, conversation: Conversation): Promise<void> {
    const planned = await this.planRelease(tx, conversation, "timeout");
    await storeChange(tx, this.lanes, conversation, planned);
    const { id } = conversation;
    const target = { id, name: id, organizationId: organizationOf(context) };
    await recordAudit(tx, context, conversationActions.conversation_released, target, {
      handler: [Handler.human, Handler.agent],
    });
  }

  private async planRelease(
    tx: Tx,
    conversation: Conversation,
    releaseReason: ReleaseReason,
  ): Promise<PlannedChange> {
    for (const hook of this.hooks.of("conversationReleased")) await hook(tx, conversation, releaseReason);
    return { change: { handler: Handler.agent }, releaseReason };
  }

  /**
   * Cancels a message that has not been sent.
   * @throws GatewayError `not_found`, or `conflict`, with its status, for a message that is not queued or scheduled
   */
  cancelMessage(context: RequestContext, id: string): Promise<Message> {
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertStillAllowed(tx, context, Permission.conversations_write);
      const found = await findOfCaller(tx, context, Message, id);
      if (found === null) throw noSuch("message");
      const { conversationId } = found;
      // Excludes the delivery, and the queuing of a scheduled message.
      const conversation =
        conversationId === null ? null : (await lockConversations(tx, [conversationId])).get(conversationId);
      await this.lanes.lock(tx, conversationId ?? id);
      const message = await tx.findOneByOrFail(Message, { id });
      if (message.status !== MessageStatus.queued && message.status !== MessageStatus.scheduled) {
        throw new GatewayError(
          "conflict",
          `The message is ${message.status}; only queued and scheduled messages can be canceled.`,
        );
      }
      await cancelAll(tx, this.lanes, conversation ?? null, [message], MessageError.canceled);
      if (conversationId === null) await this.lanes.end(tx, [id]);
      // The messages behind it may have waited for it.
      else await this.lanes.wake(tx, [conversationId]);
      return message;
    });
  }

  /**
   * Closes a conversation and cancels its queued messages. Closing it again has no effect.
   * @throws GatewayError `not_found`, `version_conflict`
   */
  close(context: RequestContext, args: ConversationChangeInput): Promise<ConversationChange> {
    return this.change(context, args, async (_, conversation) => planClose(conversation));
  }

  private async change(
    context: RequestContext,
    { id, expectedVersion }: ConversationChangeInput,
    decide: Decide,
  ): Promise<ConversationChange> {
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertStillAllowed(tx, context, Permission.conversations_write);
      const found = await findOfCaller(tx, context, Conversation, id);
      if (found === null) throw noSuch("conversation");
      // Keeps others from opening a conversation with the contact.
      const contact = (await lockContacts(tx, [found.contactId])).get(found.contactId);
      const conversation = (await lockConversations(tx, [id])).get(id) as Conversation;
      if (expectedVersion != null && expectedVersion !== conversation.version) {
        throw new GatewayError(
          "version_conflict",
          `The conversation is at version ${conversation.version}, not ${expectedVersion}.`,
        );
      }
      const decision = await decide(tx, conversation);
      if (decision === undefined) {
        const { waiting, sending } = await unsent(tx, id);
        return { conversation, canceled: [], carried: idsOf(waiting), inFlight: sending?.id ?? null };
      }
      const timers = new WaitingTimers(tx, this.lanes, conversation.agentId, contact ?? null);
      const queues = await storeAudited(tx, this.lanes, context, conversation, decision, timers);
      return { conversation, ...queues };
    });
  }
}

/** A change to a conversation and its queued messages. */
export interface PlannedChange {
  change: Partial<Pick<Conversation, "lineId" | "addressId" | "handler" | "state">>;
  /** Which queued messages are canceled, and why; the others stay queued. */
  cancel?: { isMeant: (message: Pick<Message, "author">) => boolean; errorCode: MessageError };
  audit?: { action: AuditAction; changes: Changes };
  /** For the event of a release. */
  releaseReason?: ReleaseReason;
}

/**
 * Plans to move an open conversation to a line; undefined if it is already there.
 * @param opened conversations that a dry run would open
 * @throws GatewayError `not_found` (line), `not_deliverable`, `conflict`
 */
export async function planMove(
  tx: Tx,
  conversation: Conversation,
  reference: LineReference,
  pending: PendingMessages,
  opened: readonly Conversation[] = [],
): Promise<PlannedChange | undefined> {
  const { id, agentId, contactId, addressId, lineId } = conversation;
  const line = await lineOf(tx, agentId, reference);
  if (line.id === lineId) return undefined;
  if (line.state !== LineState.active)
    throw new GatewayError("not_deliverable", `The line "${line.name}" is ${line.state}.`);
  const address = await addressOn(tx, line, contactId, (each) => each.id === addressId);
  const there = { lineId: line.id, addressId: address.id, state: ConversationState.open };
  const other =
    opened.find((each) => each.lineId === line.id && each.addressId === address.id) ??
    (await tx.findOneBy(Conversation, { ...there, id: Not(id) }));
  if (other !== null) {
    throw new GatewayError(
      "conflict",
      `The conversation ${other.id} with this address is open on the line "${line.name}".`,
    );
  }
  const from = await tx.findOneByOrFail(Line, { id: lineId });
  return {
    change: { lineId: line.id, addressId: address.id },
    ...(pending !== PendingMessages.carry && { cancel: all(MessageError.moved) }),
    audit: {
      action: conversationActions.conversation_moved,
      changes: { line: [from.name, line.name] },
    },
  };
}

/** Plans to hand an open conversation off to a human; undefined if one already answers. */
export const planHandoff = ({ handler }: Conversation): PlannedChange | undefined =>
  handler === Handler.human
    ? undefined
    : {
        change: { handler: Handler.human },
        cancel: {
          isMeant: ({ author }) => author === MessageAuthor.agent,
          errorCode: MessageError.handed_off,
        },
        audit: {
          action: conversationActions.conversation_handed_off,
          changes: { handler: [Handler.agent, Handler.human] },
        },
      };

/** Plans to close a conversation; undefined if it is closed. */
export const planClose = ({ state }: Conversation): PlannedChange | undefined =>
  state === ConversationState.closed
    ? undefined
    : { change: { state: ConversationState.closed }, cancel: all(MessageError.closed) };

export const all = (errorCode: MessageError) => ({ isMeant: () => true, errorCode });

type ChangedQueue = Pick<ConversationChange, "canceled" | "carried" | "inFlight">;

/** Decides on a change to a conversation while its row is locked; undefined if there is nothing to change. */
type Decide = (tx: Tx, conversation: Conversation) => Promise<PlannedChange | undefined>;

/**
 * Stores a change to a locked conversation, and cancels or carries its queued messages.
 * @returns the IDs of those messages
 */
export async function storeChange(
  tx: Tx,
  lanes: Lanes,
  conversation: Conversation,
  { change, cancel, releaseReason }: Omit<PlannedChange, "audit">,
): Promise<ChangedQueue> {
  const { id } = conversation;
  // Waits for the delivery that holds the lane; the next delivery sees what is stored here.
  await lanes.lock(tx, id);
  const version = conversation.version + 1;
  const updatedAt = timestamp();
  const { handler } = change;
  const humanAt = handler === Handler.human ? updatedAt : null;
  const stored = { ...change, ...(handler !== undefined && { humanAt }), version, updatedAt };
  await tx.update(Conversation, { id }, stored);
  Object.assign(conversation, stored);
  recordEvents(
    tx,
    typesOfChange(change).map((type) => conversationEvent(type, conversation, releaseReason)),
  );
  return settleQueue(tx, lanes, conversation, cancel);
}

/**
 * Cancels the scheduled and the first queued messages of a locked conversation without changing the conversation.
 * Delivery, which is then due, must reject the rest.
 * @param cancel.limit max canceled messages that are queued
 */
export async function cancelQueued(
  tx: Tx,
  lanes: Lanes,
  conversation: Conversation,
  { isMeant, errorCode, limit = MAX_CANCELED }: NonNullable<PlannedChange["cancel"]> & { limit?: number },
): Promise<void> {
  const { id } = conversation;
  // Waits for the delivery that holds the lane.
  await lanes.lock(tx, id);
  const meant = (await unsent(tx, id)).waiting.filter(isMeant);
  const isQueued = ({ status }: Message) => status === MessageStatus.queued;
  const canceled = [...meant.filter(isQueued).slice(0, limit), ...meant.filter((each) => !isQueued(each))];
  await cancelAll(tx, lanes, conversation, canceled, errorCode);
  await lanes.wake(tx, [id]);
}

/** Cancels or carries the queued messages of a conversation with a locked lane, and wakes the lane. */
async function settleQueue(
  tx: Tx,
  lanes: Lanes,
  conversation: Conversation,
  cancel: PlannedChange["cancel"],
): Promise<ChangedQueue> {
  const queues = await restamp(tx, lanes, conversation, cancel);
  await lanes.wake(tx, [conversation.id]);
  return queues;
}

/** Stores a change to a conversation like `storeChange`, cancels timers of its contact, and audits it if necessary. */
export async function storeAudited(
  tx: Tx,
  lanes: Lanes,
  context: RequestContext,
  conversation: Conversation,
  planned: PlannedChange,
  timers: WaitingTimers,
): Promise<ChangedQueue> {
  const queues = await storeChange(tx, lanes, conversation, planned);
  const { handler, state } = planned.change;
  if (handler === Handler.human) await timers.cancelOn("handoff", conversation.id);
  if (state === ConversationState.closed) await timers.cancelOn("closed", conversation.id);
  const { id } = conversation;
  if (planned.audit !== undefined) {
    const target = { id, name: id, organizationId: organizationOf(context) };
    await recordAudit(tx, context, planned.audit.action, target, planned.audit.changes);
  }
  return queues;
}

/** Cancels unsent messages of a conversation, or carries them over to its new version. */
async function restamp(
  tx: Tx,
  lanes: Lanes,
  conversation: Conversation,
  cancel: PlannedChange["cancel"],
): Promise<ChangedQueue> {
  const { version: fence } = conversation;
  const { waiting, sending } = await unsent(tx, conversation.id);
  const isCanceled = (message: Message) => cancel?.isMeant(message) ?? false;
  const canceled = waiting.filter(isCanceled);
  const carried = idsOf(waiting.filter((message) => !isCanceled(message)));
  if (cancel !== undefined) await cancelAll(tx, lanes, conversation, canceled, cancel.errorCode);
  // The messages may no longer be held.
  if (carried.length > 0)
    await tx.update(Message, { id: In(carried) }, { fence, heldReason: null, notBefore: null });
  // A message that is being sent and fails is retried like a waiting one.
  if (sending !== undefined && !isCanceled(sending)) await tx.update(Message, { id: sending.id }, { fence });
  return { canceled: idsOf(canceled), carried, inFlight: sending?.id ?? null };
}

/**
 * Cancels queued messages with a locked lane, and scheduled ones, which then get their place in the conversation.
 * @param conversation the locked conversation; null for a standalone message
 */
async function cancelAll(
  tx: Tx,
  lanes: Lanes,
  conversation: Conversation | null,
  messages: readonly Message[],
  errorCode: MessageError,
): Promise<void> {
  if (messages.length === 0) return;
  const scheduled = messages.filter(({ status }) => status === MessageStatus.scheduled);
  const change = {
    status: MessageStatus.canceled,
    errorCode,
    heldReason: null,
    notBefore: null,
    scheduledReason: null,
    scheduledBy: null,
    updatedAt: timestamp(),
  };
  await tx.update(Message, { id: In(idsOf(messages)) }, change);
  for (const message of messages) Object.assign(message, change);
  if (scheduled.length > 0 && conversation !== null) {
    takePlaces(conversation, scheduled);
    await changeTogether(tx, [
      ...updatesOf(tx, Message, scheduled, ["sequence"]),
      ...sequencesOf(tx, [conversation]),
      ...lanes.ending(idsOf(scheduled)),
    ]);
  }
  recordEvents(
    tx,
    messages.map((message) => messageEvent("message.canceled", message)),
  );
  lanes.observing(tx).count(MESSAGES, [MessageStatus.canceled], messages.length);
}

/** The unsent messages of a conversation, in order, the scheduled ones last; at most one is being sent. */
async function unsent(
  tx: Tx,
  conversationId: string,
): Promise<{ waiting: Message[]; sending: Message | undefined }> {
  const those = (condition: string) =>
    tx.createQueryBuilder(Message, "message").where({ conversationId }).andWhere(`message.${condition}`);
  const unsent = await those(IS_UNSENT).orderBy("message.sequence").getMany();
  const scheduled = await those(IS_SCHEDULED).orderBy("message.id").getMany();
  const isQueued = ({ status }: Message) => status === MessageStatus.queued;
  return {
    waiting: [...unsent.filter(isQueued), ...scheduled],
    sending: unsent.find((message) => !isQueued(message)),
  };
}

const idsOf = (messages: readonly Message[]): string[] => messages.map(({ id }) => id);
