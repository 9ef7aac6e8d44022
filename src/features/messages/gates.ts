import type { EntityManager } from "typeorm";
import { groupBy } from "../../common/group-by";
import { type Timestamp, timestamp } from "../../common/time";
import { placeholders } from "../../database/returning";
import type { DeliveryObserver } from "../../delivery/observer";
import { type Line, LineKind, LineState } from "../lines/line.entity";
import { AttemptOutcome, DeliveryAttempt } from "./delivery-attempt.entity";
import {
  EXPIRE_AFTER_MS,
  HeldReason,
  type Message,
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

/** What becomes of a message. */
export type Outcome = Pick<
  Message,
  "status" | "heldReason" | "errorCode" | "lineId" | "sentAt" | "deliveredAt"
>;

/** What the decision about a message depends on. */
export type QueuedMessage = Pick<
  Message,
  "id" | "author" | "fence" | "createdAt" | "expiresAt" | "heldReason"
>;

/** Whether a message stays queued with this outcome. */
export const isHeld = ({ status }: Outcome): boolean => status === MessageStatus.queued;

/** When a message that is held back is due again at the latest: when it expires. */
export const expiryOf = ({ expiresAt }: QueuedMessage): Timestamp => expiresAt ?? timestamp(EXPIRE_AFTER_MS);

/** Decides on a queued message. A local line does no I/O, so what may leave is delivered. */
export function outcomeOf(message: QueuedMessage, around: Surroundings, now: Timestamp): Outcome {
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
    return held(HeldReason.no_route);
  if (line.state !== LineState.active) return held(HeldReason.line_paused);
  if (!organizationIsActive) return held(HeldReason.organization_deactivated);
  return {
    ...NOTHING,
    status: MessageStatus.delivered,
    lineId: line.id,
    sentAt: now,
    deliveredAt: now,
  };
}

const NOTHING = { heldReason: null, errorCode: null, lineId: null, sentAt: null, deliveredAt: null };

const held = (heldReason: HeldReason): Outcome => ({
  ...NOTHING,
  status: MessageStatus.queued,
  heldReason,
});

const failed = (errorCode: MessageError): Outcome => ({
  ...NOTHING,
  status: MessageStatus.failed,
  errorCode,
});

const canceled = (errorCode: MessageError): Outcome => ({
  ...NOTHING,
  status: MessageStatus.canceled,
  errorCode,
});

/** Stores what becomes of queued messages, and an attempt for each that was delivered. */
export async function storeOutcomes(
  tx: EntityManager,
  outcomes: readonly (readonly [QueuedMessage, Outcome])[],
  now: Timestamp,
  observer: DeliveryObserver,
): Promise<void> {
  const changes = outcomes.filter(
    ([{ heldReason }, next]) => !isHeld(next) || next.heldReason !== heldReason,
  );
  if (changes.length === 0) return;
  await tx.query(
    `with outcome (id, status, held_reason, error_code, line_id, sent_at) as (values ${placeholders(changes.length, 6)})
     update message set status = outcome.status, held_reason = outcome.held_reason, error_code = outcome.error_code,
       line_id = outcome.line_id, sent_at = outcome.sent_at, delivered_at = outcome.sent_at
     from outcome where message.id = outcome.id`,
    changes.flatMap(([{ id }, { status, heldReason, errorCode, lineId, sentAt }]) => [
      id,
      status,
      heldReason,
      errorCode,
      lineId,
      sentAt,
    ]),
  );
  for (const [status, { length }] of groupBy(changes, ([, outcome]) => outcome.status))
    if (status !== MessageStatus.queued) observer.reached(status, length);
  const delivered = changes.filter(([, { status }]) => status === MessageStatus.delivered);
  if (delivered.length === 0) return;
  observer.attempted(LineKind.local, AttemptOutcome.accepted, delivered.length);
  observer.delivered(delivered.map(([{ createdAt }]) => createdAt));
  await tx
    .createQueryBuilder()
    .insert()
    .into(DeliveryAttempt)
    .values(
      delivered.map(([{ id }]) => ({
        messageId: id,
        number: 1,
        startedAt: now,
        endedAt: now,
        outcome: AttemptOutcome.accepted,
      })),
    )
    .updateEntity(false)
    .execute();
}
