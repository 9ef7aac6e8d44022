import type { Timestamp } from "../../common/time";
import type { NextWork } from "../../delivery/lane-work";
import type { AddressKind } from "../contacts/contact-address.entity";
import { type Line, LineKind, LineState, WhenUncertain } from "../lines/line.entity";
import type { Message } from "./message.entity";
import { HeldReason, MessageAuthor, MessageError, MessageStatus } from "./message.enums";

/** The line that a message would be sent on. */
export type GateLine = Pick<Line, "id" | "kind" | "state" | "ratePerMinute" | "version" | "whenUncertain">;

export interface GateContext {
  agentId: string;
  /** The version of the configuration whose policy applies; null if there is none. */
  policyVersion: number | null;
  /** The line; undefined if the agent has no default line. */
  line: GateLine | undefined;
  organizationIsActive: boolean;
  /** The conversation of the message, if it belongs to one. */
  conversation?: {
    version: number;
    contactId: string;
    isHandledByHuman: boolean;
    isClosed: boolean;
    /** True if the contact has been erased and the conversation is about to be closed. */
    isErased: boolean;
    /** The contact's time zone; null if it is unknown or the agent has no policy. */
    timezone: string | null;
    /** True if the contact opted in to the message's topic at the address. */
    hasOptedIn: boolean;
    /** The contact's address on the line, with opt-outs of everything or the topic; undefined if deleted. */
    address:
      | { kind: AddressKind; address: string; isOptedOut: boolean; isUndeliverable: boolean }
      | undefined;
  };
}

export type QueuedRow = Pick<
  Message,
  | "id"
  | "author"
  | "fence"
  | "status"
  | "attempts"
  | "createdAt"
  | "expiresAt"
  | "heldReason"
  | "notBefore"
  | "lineId"
  | "isUrgent"
  | "topic"
> & {
  /** True if the message is not a reply to the contact. */
  isUnprompted: boolean;
  /** How to handle the uncertain attempt if the process that was sending the message has exited. */
  whenUncertain: WhenUncertain | null;
};

/** A queued message in a lane. */
export type QueuedMessage = QueuedRow & { context: GateContext };

/** Lanes' queued messages, in order, and the next due times of lanes whose queues were read only in part. */
export interface Queues {
  queues: ReadonlyMap<string, readonly QueuedMessage[]>;
  next?: NextWork;
}

/** The action for a queued message: send, deliver, hold back, fail or cancel. */
export type Start =
  | Unsent
  | { status: typeof MessageStatus.delivered | typeof MessageStatus.sending; line: GateLine };

export type Unsent =
  | { status: typeof MessageStatus.queued; heldReason: HeldReason | null; notBefore: Timestamp | null }
  | { status: typeof MessageStatus.failed | typeof MessageStatus.canceled; errorCode: MessageError };

/**
 * Decides whether a message may be sent, ignoring limits shared with other messages. Its status is `sending` if
 * the process that was sending it has exited.
 * @returns the line to send the message on, or the reason why it is not sent yet
 */
export function gate(message: QueuedRow, context: GateContext, now: Timestamp): GateLine | Unsent {
  const { line, conversation, organizationIsActive } = context;
  if (message.whenUncertain === WhenUncertain.fail) return failed(MessageError.uncertain);
  if (message.expiresAt !== null && message.expiresAt <= now) return failed(MessageError.expired);
  if (conversation?.isErased) return canceled(MessageError.closed);
  if (conversation !== undefined && message.author !== MessageAuthor.system) {
    const isFenced = message.fence !== conversation.version;
    if (isFenced && conversation.isClosed) return canceled(MessageError.closed);
    // The decision that handed off the conversation may still send messages.
    if (isFenced && message.author === MessageAuthor.agent && conversation.isHandledByHuman)
      return canceled(MessageError.handed_off);
    if (isFenced) return canceled(MessageError.moved);
    if (conversation.address?.isOptedOut) return canceled(MessageError.opted_out);
  }
  if (conversation !== undefined && conversation.address === undefined)
    return failed(MessageError.no_address);
  if (conversation?.address?.isUndeliverable) return failed(MessageError.undeliverable);
  const { notBefore } = message;
  const isEarly = notBefore !== null && notBefore > now;
  if (line === undefined || (conversation === undefined && line.state === LineState.archived))
    return held(HeldReason.no_route);
  if (line.state !== LineState.active) return held(HeldReason.line_paused);
  if (!organizationIsActive) return held(HeldReason.organization_deactivated);
  // A standalone message has no recipient, so it cannot be sent by e-mail.
  if (conversation === undefined && line.kind === LineKind.email) return failed(MessageError.no_address);
  if (message.heldReason === HeldReason.retry && isEarly) return held(HeldReason.retry, notBefore);
  return line;
}

/** Returns the outcome for a message that stays queued; the reason is null if it only waits behind another message. */
export const held = (heldReason: HeldReason | null, notBefore: Timestamp | null = null): Unsent => ({
  status: MessageStatus.queued,
  heldReason,
  notBefore,
});

const failed = (errorCode: MessageError): Unsent => ({ status: MessageStatus.failed, errorCode });

const canceled = (errorCode: MessageError): Unsent => ({ status: MessageStatus.canceled, errorCode });
