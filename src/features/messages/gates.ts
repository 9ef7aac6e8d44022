import type { Timestamp } from "../../common/time";
import { type Line, LineKind, LineState, WhenUncertain } from "../lines/line.entity";
import { HeldReason, type Message, MessageAuthor, MessageError, MessageStatus } from "./message.entity";

/** The line that a message would leave on. */
export type GateLine = Pick<Line, "id" | "kind" | "state" | "ratePerMinute" | "version" | "whenUncertain">;

/** What decides whether a message may leave. */
export interface Surroundings {
  /** Undefined if the agent has no default line. */
  line: GateLine | undefined;
  organizationIsActive: boolean;
  /** The conversation of the message, if it belongs to one. */
  conversation?: {
    version: number;
    contactId: string;
    isHandledByHuman: boolean;
    isClosed: boolean;
    /** Its contact is erased, so that it is closed next. */
    isErased: boolean;
    /** The contact's address on the line; undefined if it was deleted. */
    address: { address: string; isOptedOut: boolean } | undefined;
  };
}

/** What the decision about a message depends on. */
export type QueuedMessage = Pick<
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
> & {
  /** What its line says about attempts without an answer, if it was leaving when its process ended. */
  whenUncertain: WhenUncertain | null;
};

/** A message that waits on a lane, with what decides whether it may leave. */
export type Waiting = QueuedMessage & { around: Surroundings };

/** What becomes of a waiting message. */
export type Start = Refusal | { status: MessageStatus.delivered | MessageStatus.sending; line: GateLine };

/** Why a message does not leave now. */
export type Refusal =
  | { status: MessageStatus.queued; heldReason: HeldReason | null; notBefore: Timestamp | null }
  | { status: MessageStatus.failed | MessageStatus.canceled; errorCode: MessageError };

/**
 * Decides whether a message may leave, as far as that depends on nothing that other messages use up. One whose status is
 * `sending` was leaving when its process ended.
 * @returns the line that it may leave on, or why it may not
 */
export function gate(message: QueuedMessage, around: Surroundings, now: Timestamp): GateLine | Refusal {
  const { line, conversation, organizationIsActive } = around;
  if (message.whenUncertain === WhenUncertain.fail) return failed(MessageError.uncertain);
  if (message.expiresAt !== null && message.expiresAt <= now) return failed(MessageError.expired);
  if (conversation?.isErased) return canceled(MessageError.closed);
  if (conversation !== undefined && message.author !== MessageAuthor.system) {
    const isFenced = message.fence !== conversation.version;
    if (isFenced && conversation.isClosed) return canceled(MessageError.closed);
    // The decision that hands off may have more to say.
    if (isFenced && message.author === MessageAuthor.agent && conversation.isHandledByHuman)
      return canceled(MessageError.handed_off);
    if (isFenced) return canceled(MessageError.moved);
    if (conversation.address?.isOptedOut) return canceled(MessageError.opted_out);
  }
  if (conversation !== undefined && conversation.address === undefined)
    return failed(MessageError.no_address);
  const { notBefore } = message;
  const isEarly = notBefore !== null && notBefore > now;
  if (message.heldReason === null && isEarly) return held(null, notBefore);
  if (line === undefined || (conversation === undefined && line.state === LineState.archived))
    return held(HeldReason.no_route);
  if (line.state !== LineState.active) return held(HeldReason.line_paused);
  if (!organizationIsActive) return held(HeldReason.organization_deactivated);
  // Mail to no one in particular cannot be sent.
  if (conversation === undefined && line.kind === LineKind.email) return failed(MessageError.no_address);
  if (message.heldReason === HeldReason.retry && isEarly) return held(HeldReason.retry, notBefore);
  return line;
}

/** A message that stays queued. */
export const held = (heldReason: HeldReason | null, notBefore: Timestamp | null = null): Refusal => ({
  status: MessageStatus.queued,
  heldReason,
  notBefore,
});

const failed = (errorCode: MessageError): Refusal => ({ status: MessageStatus.failed, errorCode });

const canceled = (errorCode: MessageError): Refusal => ({ status: MessageStatus.canceled, errorCode });
