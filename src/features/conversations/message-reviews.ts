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
import { findOfCaller } from "../agents/agent-scope";
import { assertStillAllowed } from "../api-keys/assert-accepted";
import { recordAudit } from "../audit/audit";
import { recordEvents } from "../events/record-events";
import { deletingNotices } from "../handoff-notices/add-notices";
import { laneOf } from "../messages/insert-messages";
import { Message } from "../messages/message.entity";
import { MessageError, MessageStatus, ScheduledReason } from "../messages/message.enums";
import type { ApproveMessageInput, DiscardMessageInput } from "../messages/message.inputs";
import { MESSAGES } from "../messages/message.metrics";
import { messageEvent, statusEvent } from "../messages/message-events";
import { cancelAll } from "./cancel-messages";
import { conversationActions } from "./conversation.audit";
import { type Conversation, Handler } from "./conversation.entity";
import { lockConversations } from "./find-conversation";
import { endWait, sequencesOf, takePlaces } from "./queue-messages";

const APPROVED = [
  "status",
  "scheduledReason",
  "scheduledBy",
  "reviewedAt",
  "waitedSince",
  "updatedAt",
  "text",
  "html",
  "sequence",
] as const satisfies (keyof Message)[];

/** Changes a locked message; its locked conversation is null for a standalone message. */
type Decide = (tx: Tx, locked: { message: Message; conversation: Conversation | null }) => Promise<void>;

/** A kind of change: the lane to lock, and the statuses that a message must have. */
interface Action {
  lockedLane: (message: Message) => string;
  statuses: readonly MessageStatus[];
  required: string;
}

const REVIEW: Action = {
  lockedLane: ({ id }) => id,
  statuses: [MessageStatus.proposed],
  required: "Only proposed messages can be approved or discarded.",
};

const CANCEL: Action = {
  lockedLane: ({ id, conversationId }) => conversationId ?? id,
  statuses: [MessageStatus.queued, MessageStatus.scheduled, MessageStatus.proposed],
  required: "Only queued, scheduled and proposed messages can be canceled.",
};

/** Reviews and cancels messages; each is resolved once, even if reviews, cancellation and expiry race. */
export class MessageReviews {
  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
  ) {}

  /**
   * Queues a proposed message, or schedules it for the time that its rule specifies.
   * @throws GatewayError `not_found`; `conflict`, with the message's status, if it is not proposed; `conflict` if it
   *   has expired
   */
  approve(context: RequestContext, { id, text }: ApproveMessageInput): Promise<Message> {
    return this.review(context, id, async (tx, { message, conversation }) => {
      const now = timestamp();
      const isLater = message.sendAt !== null && message.sendAt > now;
      const isEdited = text != null && text !== message.text;
      const change = {
        status: isLater ? MessageStatus.scheduled : MessageStatus.queued,
        scheduledReason: isLater ? ScheduledReason.delay : null,
        scheduledBy: null,
        reviewedAt: now,
        updatedAt: now,
        // The HTML is discarded, because it contains the proposed text.
        ...(isEdited && { text, html: null }),
      };
      Object.assign(message, change);
      const isAnswer = conversation?.handler === Handler.human;
      if (isAnswer) message.waitedSince = await endWait(tx, conversation);
      if (conversation !== null && !isLater) takePlaces(conversation, [message]);
      await changeTogether(tx, [
        ...updatesOf(tx, Message, [message], APPROVED),
        ...sequencesOf(tx, conversation === null ? [] : [conversation]),
        ...deletingNotices(isAnswer ? [conversation.id] : []),
        // Removes the message's own lane, which exists only to expire the message.
        ...this.lanes.ending([id]),
      ]);
      await this.lanes.add(tx, [laneOf(message)]);
      recordEvents(tx, [messageEvent("message.approved", message), statusEvent(message)]);
      this.lanes.observing(tx).count(MESSAGES, [change.status]);
      await this.audit(tx, context, message, { text: isEdited });
    });
  }

  /**
   * Cancels a proposed message.
   * @throws GatewayError as `approve` does
   */
  discard(context: RequestContext, { id, reason = null }: DiscardMessageInput): Promise<Message> {
    return this.review(context, id, async (tx, { message, conversation }) => {
      const more = { errorText: reason, reviewedAt: timestamp() };
      await cancelAll(tx, this.lanes, conversation, [message], MessageError.discarded, more);
      if (conversation === null) await this.lanes.end(tx, [id]);
      await this.audit(tx, context, message);
    });
  }

  /**
   * Cancels a message that has not been sent.
   * @throws GatewayError `not_found`, or `conflict`, with the message's status, if it can no longer be canceled
   */
  cancel(context: RequestContext, id: string): Promise<Message> {
    return this.change(context, id, CANCEL, async (tx, { message, conversation }) => {
      await cancelAll(tx, this.lanes, conversation, [message], MessageError.canceled);
      if (message.conversationId === null) await this.lanes.end(tx, [id]);
      // Wakes the lane, because later messages may have been waiting for the canceled message.
      else await this.lanes.wake(tx, [message.conversationId]);
    });
  }

  private review(context: RequestContext, id: string, decide: Decide): Promise<Message> {
    return this.change(context, id, REVIEW, async (tx, proposal) => {
      const { expiresAt } = proposal.message;
      if (expiresAt !== null && expiresAt <= timestamp())
        throw new GatewayError("conflict", "The message has expired.");
      await decide(tx, proposal);
    });
  }

  private async change(
    context: RequestContext,
    id: string,
    { lockedLane, statuses, required }: Action,
    decide: Decide,
  ): Promise<Message> {
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      await assertStillAllowed(tx, context, Permission.conversations_write);
      const found = await findOfCaller(tx, context, Message, id);
      if (found === null) throw noSuch("message");
      const { conversationId } = found;
      // Prevents concurrent changes to the conversation, deliveries, reviews, and the message's expiry.
      const conversation =
        conversationId === null ? null : (await lockConversations(tx, [conversationId])).get(conversationId);
      await this.lanes.lock(tx, lockedLane(found));
      const message = await tx.findOneByOrFail(Message, { id });
      if (!statuses.includes(message.status))
        throw new GatewayError("conflict", `The message is ${message.status}. ${required}`);
      await decide(tx, { message, conversation: conversation ?? null });
      return message;
    });
  }

  /** Omits the message's texts, because erasing a contact does not erase them from the audit log. */
  private audit(
    tx: Tx,
    context: RequestContext,
    { id, status }: Message,
    { text: isEdited = false } = {},
  ): Promise<void> {
    const isApproved = status !== MessageStatus.canceled;
    const action = isApproved ? conversationActions.message_approved : conversationActions.message_discarded;
    return recordAudit(
      tx,
      context,
      action,
      { id, name: id, organizationId: organizationOf(context) },
      { status: [MessageStatus.proposed, status], ...(isEdited && { text: ["proposed", "edited"] }) },
    );
  }
}
