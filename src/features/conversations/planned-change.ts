import { Not } from "typeorm";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError } from "../../errors";
import type { AuditAction } from "../audit/audit-actions";
import type { Changes } from "../audit/audit-change";
import { Contact } from "../contacts/contact.entity";
import { Line, LineState } from "../lines/line.entity";
import { Message } from "../messages/message.entity";
import { MessageAuthor, MessageError } from "../messages/message.enums";
import { conversationActions } from "./conversation.audit";
import { Conversation, ConversationState, Handler } from "./conversation.entity";
import { type LineReference, PendingMessages } from "./conversation.inputs";
import { addressOn, lineOf } from "./destination";
import type { Place } from "./find-conversation";

/** The reason for a release: a caller's request, or the `releaseAfter` timeout. */
export type ReleaseReason = "request" | "timeout";

export interface PlannedChange {
  change: Partial<Pick<Conversation, "lineId" | "addressId" | "handler" | "state">>;
  /** Selects the queued messages to cancel, and sets their error code. Other messages stay queued. */
  cancel?: { isMeant: (message: Pick<Message, "author" | "topic">) => boolean; errorCode: MessageError };
  audit?: { action: AuditAction; changes: Changes };
  /** ID of the member who hands off the conversation manually. */
  handedOffBy?: string | undefined;
  /** The names of the lines that the conversation is moved from and to. */
  lines?: readonly [from: string, to: string];
  /** The decision that makes the change; undefined if a caller makes it. */
  decisionId?: string;
  /** The reason for the handoff. */
  reason?: string;
  /** The reason for a release, reported in its event. */
  releaseReason?: ReleaseReason;
}

/**
 * Plans to move an open conversation to a line; undefined if it is already on that line.
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
  const target = await moveTarget(tx, conversation, reference, opened);
  if (target === undefined) return undefined;
  const { line, address } = target;
  const from = await tx.findOneByOrFail(Line, { id: conversation.lineId });
  const lines = [from.name, line.name] as const;
  return {
    change: { lineId: line.id, addressId: address.id },
    lines,
    ...(pending !== PendingMessages.carry && { cancel: all(MessageError.moved) }),
    audit: {
      action: conversationActions.conversation_moved,
      changes: { line: lines },
    },
  };
}

/**
 * Returns the line and address of a move; undefined if the conversation is already on the line.
 * @param from the conversation, which has no ID if it is not open yet
 * @param opened conversations that a dry run would open
 * @throws GatewayError `not_found` (line), `not_deliverable`, `conflict`
 */
export async function moveTarget(
  tx: Tx,
  from: Pick<Conversation, "agentId" | "contactId" | "addressId" | "lineId"> & { id?: string | undefined },
  reference: LineReference,
  opened: readonly Conversation[] = [],
): Promise<Pick<Place, "line" | "address"> | undefined> {
  const { id, agentId, contactId, addressId, lineId } = from;
  const line = await lineOf(tx, agentId, reference);
  if (line.id === lineId) return undefined;
  if (line.state !== LineState.active)
    throw new GatewayError("not_deliverable", `The line "${line.name}" is ${line.state}.`);
  const address = await addressOn(tx, line, contactId, (each) => each.id === addressId);
  const there = { lineId: line.id, addressId: address.id, state: ConversationState.open };
  const other =
    opened.find((each) => each.lineId === line.id && each.addressId === address.id) ??
    (await tx.findOneBy(Conversation, { ...there, ...(id !== undefined && { id: Not(id) }) }));
  if (other !== null) {
    throw new GatewayError(
      "conflict",
      `Conversation ${other.id} with this address is already open on the line "${line.name}".`,
      { extensions: { conversationId: other.id } },
    );
  }
  return { line, address };
}

/**
 * Plans to hand an open conversation off to a human; undefined if a human is already answering.
 * @param more the member who hands off manually, or the rule's reason
 */
export const planHandoff = (
  { handler }: Conversation,
  more: Pick<PlannedChange, "handedOffBy" | "reason">,
): PlannedChange | undefined =>
  handler === Handler.human
    ? undefined
    : {
        change: { handler: Handler.human },
        ...more,
        cancel: {
          isMeant: ({ author }) => author === MessageAuthor.agent,
          errorCode: MessageError.handed_off,
        },
        audit: {
          action: conversationActions.conversation_handed_off,
          changes: { handler: [Handler.agent, Handler.human] },
        },
      };

/** Stores when a locked contact's conversations were handed off together; null once released or closed. */
export async function setHandedOff(
  tx: Tx,
  contact: Contact,
  handedOffAt: Contact["handedOffAt"],
): Promise<void> {
  if (contact.handedOffAt === handedOffAt) return;
  await tx.update(Contact, { id: contact.id }, { handedOffAt });
  contact.handedOffAt = handedOffAt;
}

/** Plans to close a conversation; undefined if it is already closed. */
export const planClose = ({ state }: Conversation): PlannedChange | undefined =>
  state === ConversationState.closed
    ? undefined
    : { change: { state: ConversationState.closed }, cancel: all(MessageError.closed) };

export const all = (errorCode: MessageError) => ({ isMeant: () => true, errorCode });
