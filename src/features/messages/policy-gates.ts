import type { Timestamp } from "../../common/time";
import type { Tx } from "../../database/unit-of-work";
import type { HookRegistry } from "../../schema/hooks";
import type { QueuedMessage } from "./gates";
import { MessageAuthor, MessageError, MessageStatus, type ScheduledReason } from "./message.enums";

/** The changes to a message that must wait for a window or a cap. */
export interface Rescheduled {
  status: typeof MessageStatus.scheduled;
  sendAt: Timestamp;
  scheduledReason: ScheduledReason;
  scheduledBy: string;
  expiresAt: Timestamp | null;
}

/** A policy decision about a message that could otherwise be sent immediately. */
export type PolicyDecision =
  | Rescheduled
  | { status: typeof MessageStatus.failed | typeof MessageStatus.canceled; errorCode: MessageError }
  /** Another transaction may be sending the contact a message at the moment. */
  | { status: typeof MessageStatus.queued; askAgainAt: Timestamp };

/** The policies that apply to the messages that a transaction sends. */
export interface PolicyGates {
  /** @returns undefined if the message may be sent immediately */
  decide(message: QueuedMessage, now: Timestamp): PolicyDecision | undefined;
  /** Counts a message toward the caps. */
  count(
    message: QueuedMessage,
    status: typeof MessageStatus.sending | typeof MessageStatus.delivered,
    now: Timestamp,
  ): void;
  /** Stores which messages were counted. */
  store(): Promise<void>;
}

declare module "../../schema/hooks" {
  interface Hooks {
    /**
     * Reads policies and locks the messages' contacts; must not wait for locks, because the transaction holds
     * lanes. Implemented by exactly one feature.
     */
    policyGates: (tx: Tx, messages: readonly QueuedMessage[]) => Promise<PolicyGates>;
  }
}

/** True if an agent's windows and caps apply to a message because the agent wrote it unprompted. */
export const isBound = ({ author, isUnprompted, isUrgent, context }: QueuedMessage): boolean =>
  context.policyVersion !== null && author === MessageAuthor.agent && isUnprompted && !isUrgent;

/** Returns the policies that apply to messages, without a query if none applies. */
export async function policyGatesFor(
  tx: Tx,
  hooks: HookRegistry,
  messages: readonly QueuedMessage[],
): Promise<PolicyGates> {
  const hasTopic = ({ topic, context }: QueuedMessage) => topic !== null && context.policyVersion !== null;
  const bound = messages.filter((message) => isBound(message) || hasTopic(message));
  return bound.length === 0 ? NO_GATES : hooks.the("policyGates")(tx, bound);
}

const NO_GATES: PolicyGates = {
  decide: () => undefined,
  count: () => undefined,
  store: async () => undefined,
};
