import { ownerOf } from "../../auth/caller";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Permission } from "../../auth/permissions";
import { isUuid } from "../../common/uuid";
import { changeTogether } from "../../database/change-together";
import type { Database } from "../../database/database";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import { GatewayError, noSuch } from "../../errors";
import type { HookRegistry } from "../../schema/hooks";
import { findOfCaller } from "../agents/agent-scope";
import { assertStillAllowed } from "../api-keys/assert-accepted";
import { recordAudit } from "../audit/audit";
import type { Contact } from "../contacts/contact.entity";
import { lockContacts } from "../contacts/known-contact";
import { recordEvents } from "../events/record-events";
import { deletingNotices } from "../handoff-notices/add-notices";
import { HandoffNotice } from "../handoff-notices/handoff-notice.entity";
import { MEMBER_CHANGES, Member } from "../members/member.entity";
import { WaitingTimers } from "../timers/waiting-timers";
import { idsOf, unsent } from "./cancel-messages";
import { conversationActions } from "./conversation.audit";
import { Conversation, Handler } from "./conversation.entity";
import type {
  AssignConversationInput,
  ConversationChange,
  ConversationChangeInput,
  MoveConversationInput,
} from "./conversation.inputs";
import { conversationEvent } from "./conversation-events";
import { log } from "./conversation-log";
import { ConversationLogKind } from "./conversation-log-entry.entity";
import { assertOpen, lockConversations, lockOpenWith } from "./find-conversation";
import {
  type PlannedChange,
  planClose,
  planHandoff,
  planMove,
  type ReleaseReason,
  setHandedOff,
} from "./planned-change";
import { storeAudited, storeChange } from "./store-change";

declare module "../../schema/hooks" {
  interface Hooks {
    /** Joins the transaction that releases a conversation and has locked it and its contact. */
    conversationReleased: (tx: Tx, conversation: Conversation, reason: ReleaseReason) => Promise<void>;
  }
}

/** Changes conversations; a change increments the version and applies to messages accepted before it. */
export class ConversationChanges {
  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
    private readonly hooks: HookRegistry,
  ) {}

  /**
   * Moves a conversation to another line. Moving it to its current line has no effect.
   * @throws GatewayError `not_found` (conversation, line), `version_conflict`, `not_deliverable`, or `conflict` for
   *   a closed conversation, or if another conversation with the same address is open on the line
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
   * Hands a conversation off to a human, and cancels the agent's queued messages.
   * @throws GatewayError `not_found`, `version_conflict`, or `conflict` for a closed conversation
   */
  handOff(context: RequestContext, args: ConversationChangeInput): Promise<ConversationChange> {
    return this.change(context, args, async (_, conversation) => {
      assertOpen(conversation);
      const { caller } = context;
      return planHandoff(conversation, caller.kind === "member" ? { handedOffBy: caller.id } : {});
    });
  }

  /**
   * Releases a conversation to the agent, or all conversations with the contact if handed off together.
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
   * Releases a conversation, or all that were handed off together, after `releaseAfter`.
   * @param context the gateway's own context
   * @param conversations open conversations handled by a human, with their rows, contact and lanes locked
   */
  async releaseInTime(
    tx: Tx,
    context: RequestContext,
    contact: Contact,
    conversations: readonly Conversation[],
  ): Promise<void> {
    for (const conversation of conversations) {
      const planned = await this.planRelease(tx, conversation, "timeout");
      await storeChange(tx, this.lanes, conversation, planned, context);
      const { id } = conversation;
      const target = { id, name: id, organizationId: organizationOf(context) };
      await recordAudit(tx, context, conversationActions.conversation_released, target, {
        handler: [Handler.human, Handler.agent],
      });
    }
    await setHandedOff(tx, contact, null);
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
   * Assigns a conversation to a member of the caller's organization, or unassigns it.
   * @throws GatewayError `not_found` (conversation, member)
   */
  assign(context: RequestContext, { id, memberId = null }: AssignConversationInput): Promise<Conversation> {
    return this.database.writeFor(ownerOf(context.caller), async (tx) => {
      const organizationId = organizationOf(context);
      // Prevents the member's concurrent removal; this lock must be acquired before any row lock.
      if (memberId !== null) await tx.lockInsertOrder(MEMBER_CHANGES, [organizationId]);
      await assertStillAllowed(tx, context, Permission.conversations_write);
      if ((await findOfCaller(tx, context, Conversation, id)) === null) throw noSuch("conversation");
      const assignee =
        memberId !== null && isUuid(memberId)
          ? await tx.findOneBy(Member, { id: memberId, organizationId })
          : null;
      if (memberId !== null && assignee === null) throw noSuch("member");
      const conversation = (await lockConversations(tx, [id])).get(id) as Conversation;
      const earlierId = conversation.assigneeId;
      if (earlierId === memberId) return conversation;
      await tx.update(Conversation, { id }, { assigneeId: memberId });
      conversation.assigneeId = memberId;
      recordEvents(tx, [conversationEvent("conversation.assigned", conversation, { assigneeId: memberId })]);
      const earlier = earlierId === null ? null : await tx.findOneBy(Member, { id: earlierId });
      const target = { id, name: id, organizationId };
      const [before, after] = [earlier?.email ?? null, assignee?.email ?? null];
      await recordAudit(tx, context, conversationActions.conversation_assigned, target, {
        assignee: [before, after],
      });
      await log(tx, context, conversation, { kind: ConversationLogKind.assigned, before, after });
      return conversation;
    });
  }

  /**
   * Records that a member has opened a conversation, so that its next handoff sends new notices.
   * @throws GatewayError `not_found`
   */
  async markOpened(context: RequestContext, id: string): Promise<Conversation> {
    const { conversation, hasNotices } = await this.database.read(async (reader) => {
      const found = await findOfCaller(reader, context, Conversation, id);
      if (found === null) throw noSuch("conversation");
      return {
        conversation: found,
        hasNotices: await reader.existsBy(HandoffNotice, { conversationId: id }),
      };
    });
    // Most conversations have no notices, so no transaction is needed.
    if (hasNotices) {
      await this.database.writeFor(ownerOf(context.caller), async (tx) => {
        await assertStillAllowed(tx, context, Permission.conversations_read);
        await changeTogether(tx, deletingNotices([id]));
      });
    }
    return conversation;
  }

  /**
   * Closes a conversation and cancels its queued messages. Closing a closed conversation has no effect.
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
      // Keeps other transactions from opening a conversation with the contact.
      const contact = (await lockContacts(tx, [found.contactId])).get(found.contactId) as Contact;
      const isTogether = contact.handedOffAt !== null;
      const locked = await (isTogether ? lockOpenWith(tx, contact.id, id) : lockConversations(tx, [id]));
      const conversation = locked.get(id) as Conversation;
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
      const timers = new WaitingTimers(tx, this.lanes, conversation.agentId, contact);
      const store = (each: Conversation, planned: PlannedChange) =>
        storeAudited(tx, this.lanes, context, each, planned, { contact, timers });
      const queues = await store(conversation, decision);
      if (isTogether && decision.change.handler === Handler.agent) {
        for (const other of locked.values())
          if (other !== conversation) await store(other, await this.planRelease(tx, other, "request"));
        await setHandedOff(tx, contact, null);
      }
      return { conversation, ...queues };
    });
  }
}

/** Plans a change to a conversation while its row is locked; undefined if there is nothing to change. */
type Decide = (tx: Tx, conversation: Conversation) => Promise<PlannedChange | undefined>;
