import { type EntityManager, In } from "typeorm";
import { groupBy } from "../../common/group-by";
import { type Timestamp, timestamp } from "../../common/time";
import { type Line, LineState } from "../lines/line.entity";
import { AttemptOutcome, DeliveryAttempt } from "./delivery-attempt.entity";
import {
  EXPIRE_AFTER_MS,
  HeldReason,
  Message,
  MessageAuthor,
  MessageError,
  MessageStatus,
} from "./message.entity";

/** What decides whether a message may leave. */
export interface Surroundings {
  /** Undefined if the agent has no default line. */
  line: Pick<Line, "id" | "state"> | undefined;
  organizationIsActive: boolean;
  /** The conversation of the message, if it belongs to one. */
  conversation?: {
    version: number;
    isHandledByHuman: boolean;
    /** The contact's address on the line; undefined if it was deleted. */
    address: { isOptedOut: boolean } | undefined;
  };
}

/** What becomes of a message; one that stays queued has no status here. */
export type Outcome = Pick<Partial<Message>, "status" | "errorCode" | "lineId" | "sentAt" | "deliveredAt"> & {
  heldReason: HeldReason | null;
};

/** Whether a message stays queued with this outcome. */
export const isHeld = ({ status }: Outcome): boolean => status === undefined;

/** When a message that is held back is due again at the latest: when it expires. */
export const expiryOf = ({ expiresAt }: Message): Timestamp => expiresAt ?? timestamp(EXPIRE_AFTER_MS);

/** Decides on a queued message. A local line does no I/O, so what may leave is delivered. */
export function outcomeOf(message: Message, around: Surroundings, now: Timestamp): Outcome {
  const { line, conversation, organizationIsActive } = around;
  if (message.expiresAt !== null && message.expiresAt <= now) return failed(MessageError.expired);
  if (conversation !== undefined && message.author !== MessageAuthor.system) {
    if (message.fence !== conversation.version) return canceled(MessageError.moved);
    if (message.author === MessageAuthor.agent && conversation.isHandledByHuman)
      return canceled(MessageError.handed_off);
    if (conversation.address?.isOptedOut) return canceled(MessageError.opted_out);
  }
  if (conversation !== undefined && conversation.address === undefined)
    return failed(MessageError.no_address);
  if (line === undefined || (conversation === undefined && line.state === LineState.archived))
    return { heldReason: HeldReason.no_route };
  if (line.state !== LineState.active) return { heldReason: HeldReason.line_paused };
  if (!organizationIsActive) return { heldReason: HeldReason.organization_deactivated };
  return {
    status: MessageStatus.delivered,
    heldReason: null,
    lineId: line.id,
    sentAt: now,
    deliveredAt: now,
  };
}

const failed = (errorCode: MessageError): Outcome => ({
  status: MessageStatus.failed,
  errorCode,
  heldReason: null,
});

const canceled = (errorCode: MessageError): Outcome => ({
  status: MessageStatus.canceled,
  errorCode,
  heldReason: null,
});

/** Stores what becomes of messages, and an attempt for each that was delivered. */
export async function storeOutcomes(
  tx: EntityManager,
  outcomes: readonly (readonly [Message, Outcome])[],
  now: Timestamp,
): Promise<void> {
  const changes = outcomes.filter(
    ([{ heldReason }, next]) => !isHeld(next) || next.heldReason !== heldReason,
  );
  for (const [text, alike] of groupBy(changes, ([, outcome]) => JSON.stringify(outcome))) {
    const outcome: Outcome = JSON.parse(text);
    const ids = alike.map(([{ id }]) => id);
    await tx.update(Message, { id: In(ids) }, outcome);
    if (outcome.status !== MessageStatus.delivered) continue;
    const attempt = { number: 1, startedAt: now, endedAt: now, outcome: AttemptOutcome.accepted };
    await tx.insert(
      DeliveryAttempt,
      ids.map((messageId) => ({ ...attempt, messageId })),
    );
  }
}
