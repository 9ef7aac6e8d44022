import type { RequestContext } from "../../../auth/context";
import type { Timestamp } from "../../../common/time";
import type { Lanes } from "../../../delivery/lanes";
import { GatewayError } from "../../../errors";
import type { ContactPolicy } from "../../configuration/document/contact-policy";
import type { Effect } from "../../configuration/document/effect";
import type { Consents } from "../../contacts/consents";
import type { Conversation } from "../../conversations/conversation.entity";
import type { DefaultConversations } from "../../conversations/default-conversations";
import type { Place } from "../../conversations/find-conversation";
import type { MessageToQueue } from "../../conversations/queue-messages";
import type { AgentQueues } from "../../messages/agent-queues";
import type { Timer } from "../../timers/timer.entity";
import type { EffectStatus, ExplanationError, GateExplanation, LineObstacle } from "../explanation";
import type { Participants } from "../participants";

export interface Dependencies {
  lanes: Lanes;
  consents: Consents;
  queues: AgentQueues;
  defaultConversations: DefaultConversations;
}

/** A decision whose effects are applied in one transaction. */
export interface Application extends Dependencies {
  context: RequestContext;
  agentId: string;
  decisionId: string;
  participants: Participants;
  /** The result of the model call; undefined if no model was called. */
  asked?: Pick<Result, "status" | "error"> | undefined;
  /** True if the decision answers a contact's message, so its messages count as automatic answers. */
  isAnswer: boolean;
  gates: readonly GateExplanation[];
  /** True if the contact has opted out of messages in the conversation. */
  isOptedOut: boolean;
  /** True if the conversation's address is undeliverable. */
  isUndeliverable: boolean;
  /** True if a timer or failed message caused the decision; its own timers must not form a fast loop. */
  isChained: boolean;
  /** The policy that determines which topics require an opt-in; undefined if there is none. */
  policy: ContactPolicy | undefined;
  /** The messages' policy, and the contact's time zone; undefined for answers or without a contact. */
  bound: { policy: ContactPolicy; timezone: string | null } | undefined;
  now: Timestamp;
  /** The contact's tags; undefined until they are read. */
  tags?: readonly string[] | undefined;
}

export type Send = Extract<Effect, { kind: "send" }>;

export type Change = Exclude<Effect, { kind: "send" | "ask" }>;

export type TimerChange = Extract<Effect, { kind: "later" | "cancelTimer" }>;

export interface Result {
  status: EffectStatus;
  error?: ExplanationError;
  /** The destination, if a message is to be sent. */
  destination?: Destination;
  /** The line that the message's effect specifies. */
  line?: string | null;
  obstacles?: LineObstacle[];
  /** The contact's address in the current conversation before any move, or else in the message's. */
  addressId?: string | undefined;
  /** When to queue the message; undefined for immediately. `heldBy` is set if the policy delays it. */
  sendAt?: Timestamp | undefined;
  heldBy?: MessageToQueue["heldBy"];
  /** The rule or policy that requires a person's approval; undefined if neither does. */
  review?: MessageToQueue["review"];
  /** The timer that the effect set or canceled. */
  timer?: (Pick<Timer, "dueAt"> & Partial<Pick<Timer, "id">>) | undefined;
}

/** Errors that make an effect fail but not the rest of the decision. */
const FAILURES: ReadonlySet<string> = new Set(["not_deliverable", "not_found", "conflict", "limit_reached"]);

/** Runs part of a decision, so that its failure does not affect the rest. */
export async function outcomeOf(part: () => Promise<Result>): Promise<Result> {
  try {
    return await part();
  } catch (error) {
    if (!(error instanceof GatewayError) || !FAILURES.has(error.code)) throw error;
    return { status: "failed", error: { code: error.code, message: error.message } };
  }
}

/** A message's destination; for a standalone message, `conversation` is null and `place` undefined. */
export interface Destination {
  conversation: Conversation | null;
  /** The line and address for a new conversation. */
  place?: Place;
  opening?: Promise<Conversation>;
}
