import { In } from "typeorm";
import { groupBy } from "../../common/group-by";
import { type Timestamp, timestamp, timestampOf } from "../../common/time";
import { type Change, changeTogether } from "../../database/change-together";
import { padded, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { AttemptOutcome } from "../../delivery/driver";
import type { FinishedSend } from "../../delivery/lane-work";
import type { WorkObserver } from "../../delivery/observer";
import type { HookRegistry } from "../../schema/hooks";
import { recordEvents } from "../events/record-events";
import { WhenUncertain } from "../lines/line.entity";
import { toErased } from "./erased-recipients";
import { Message } from "./message.entity";
import { HeldReason, MessageDirection, MessageError, MessageStatus } from "./message.enums";
import { ATTEMPTS, MESSAGES, observeSent } from "./message.metrics";
import { statusEvents, TOLD, type Told, tellFailed } from "./message-events";
import { retryDelayMs } from "./retries";
import { WHEN_UNCERTAIN } from "./standalone-messages";

type Outcome = Pick<Message, "status" | keyof typeof NOTHING>;

/**
 * Stores the results of finished sends; if a send lost its lane, only its attempt, because others may have changed
 * the message.
 */
export async function finishMessages(
  tx: Tx,
  ended: readonly FinishedSend[],
  observer: WorkObserver,
  hooks: HookRegistry,
): Promise<void> {
  const now = timestamp();
  for (const [kind, ofKind] of groupBy(ended, ({ channelKind }) => channelKind)) {
    for (const [outcome, { length }] of groupBy(ofKind, ({ result }) => result.outcome))
      observer.count(ATTEMPTS, [kind, outcome], length);
  }
  const held = await withFreshProviderIds(
    tx,
    ended.filter(({ isHeld }) => isHeld),
  );
  const erased = await toErased(
    tx,
    ended.flatMap(({ messageId, result }) => ("detail" in result ? messageId : [])),
  );
  const errorTextOf = ({ messageId, result }: FinishedSend) =>
    "detail" in result && !erased.has(messageId) ? result.detail : null;
  const attempts = attemptsOf(ended, errorTextOf, now);
  if (held.length === 0) {
    await changeTogether(tx, [attempts]);
    return;
  }
  const failing = await failingUncertain(tx, held);
  const outcomes = held.map(
    (each) => [each, outcomeOf(each, errorTextOf(each), failing.has(each.messageId), now)] as const,
  );
  const rows = padded(outcomes);
  const first = rows.length * 10 + 1;
  const change = {
    sql: `with ended (id, attempts, status, held_reason, not_before, error_code, error_text, provider_id, sent_at, delivered_at) as
       (values ${placeholders(rows.length, 10)})
     update message set status = ended.status, held_reason = ended.held_reason, not_before = ended.not_before,
       error_code = ended.error_code, error_text = ended.error_text, provider_id = ended.provider_id,
       sent_at = ended.sent_at, delivered_at = ended.delivered_at, updated_at = $${first}
     from ended where message.id = ended.id and message.attempts = cast(ended.attempts as integer) and message.status = $${first + 1}
     returning ${TOLD}, message.created_at as "createdAt"`,
    parameters: [
      ...rows.flatMap(([{ messageId, attempt }, outcome]) => [
        messageId,
        String(attempt),
        outcome.status,
        outcome.heldReason,
        outcome.notBefore,
        outcome.errorCode,
        outcome.errorText,
        outcome.providerId,
        outcome.sentAt,
        outcome.deliveredAt,
      ]),
      now,
      MessageStatus.sending,
    ],
  };
  const stored = await changeTogether<Told & Pick<Message, "createdAt">>(tx, [change, attempts]);
  const byId = new Map(stored.map((message) => [message.id, message]));
  const changed = outcomes.filter(([{ messageId }]) => byId.has(messageId));
  recordEvents(tx, statusEvents(changed.flatMap(([{ messageId }]) => byId.get(messageId) ?? [])));
  for (const [status, { length }] of groupBy(changed, ([, outcome]) => outcome.status))
    if (status !== MessageStatus.queued) observer.count(MESSAGES, [status], length);
  observeSent(
    observer,
    changed.flatMap(([{ messageId }, { sentAt }]) =>
      sentAt === null ? [] : (byId.get(messageId)?.createdAt ?? []),
    ),
  );
  const failed = changed.filter(([, { status }]) => status === MessageStatus.failed);
  await tellFailed(
    tx,
    hooks,
    failed.map(([{ messageId: id }, { errorCode }]) => ({ id, errorCode })),
  );
  // If a receipt arrived before the response, it has already set the status.
  for (const [{ messageId }, { providerId, sentAt }] of outcomes) {
    if (sentAt === null || byId.has(messageId)) continue;
    await tx.query(
      `update message set sent_at = coalesce(sent_at, $1), provider_id = coalesce(provider_id, $2) where id = $3`,
      [sentAt, providerId, messageId],
    );
  }
}

/** Returns the IDs of messages that fail after an uncertain attempt instead of being resent. */
async function failingUncertain(tx: Tx, ended: readonly FinishedSend[]): Promise<ReadonlySet<string>> {
  const uncertain = ended.filter(({ result }) => result.outcome === AttemptOutcome.uncertain);
  if (uncertain.length === 0) return new Set();
  const ids = padded(uncertain.map(({ messageId }) => messageId));
  const rows: Pick<Message, "id">[] = await tx.query(
    `select id from message where id in ${placeholders(1, ids.length)} and ${WHEN_UNCERTAIN} = '${WhenUncertain.fail}'`,
    ids,
  );
  return new Set(rows.map(({ id }) => id));
}

const NOTHING = {
  heldReason: null,
  notBefore: null,
  errorCode: null,
  errorText: null,
  providerId: null,
  sentAt: null,
  deliveredAt: null,
};

function outcomeOf(
  { result, attempt }: FinishedSend,
  errorText: string | null,
  failsUncertain: boolean,
  now: Timestamp,
): Outcome {
  if (result.outcome === AttemptOutcome.accepted) {
    const { providerId, isDelivered } = result;
    const status = isDelivered ? MessageStatus.delivered : MessageStatus.sent;
    return { ...NOTHING, status, providerId, sentAt: now, deliveredAt: isDelivered ? now : null };
  }
  const failed = (errorCode: MessageError) => ({
    ...NOTHING,
    status: MessageStatus.failed,
    errorCode,
    errorText,
  });
  if (result.outcome === AttemptOutcome.permanent) return failed(MessageError.rejected);
  if (result.outcome === AttemptOutcome.uncertain && failsUncertain) return failed(MessageError.uncertain);
  const notBefore = timestampOf(Date.now() + retryDelayMs(attempt, result.retryAfterMs));
  return { ...NOTHING, status: MessageStatus.queued, heldReason: HeldReason.retry, notBefore, errorText };
}

function attemptsOf(
  ended: readonly FinishedSend[],
  errorTextOf: (each: FinishedSend) => string | null,
  now: Timestamp,
): Change {
  const rows = padded(ended);
  return {
    sql: `with ended (id, number, outcome, code, detail) as (values ${placeholders(rows.length, 5)})
     update delivery_attempt set ended_at = $${rows.length * 5 + 1}, outcome = ended.outcome, code = ended.code, detail = ended.detail
     from ended where message_id = ended.id and delivery_attempt.number = cast(ended.number as integer)`,
    parameters: [
      ...rows.flatMap((each) => [
        each.messageId,
        String(each.attempt),
        each.result.outcome,
        "code" in each.result ? each.result.code : null,
        errorTextOf(each),
      ]),
      now,
    ],
  };
}

/** Drops a receiver's ID that another message on the line has; a receipt must identify a single message. */
async function withFreshProviderIds(tx: Tx, ended: readonly FinishedSend[]): Promise<FinishedSend[]> {
  const given = ended.flatMap(({ channelId: lineId, result }) =>
    "providerId" in result && result.providerId !== null ? [{ lineId, providerId: result.providerId }] : [],
  );
  if (given.length === 0) return [...ended];
  const rows = await tx
    .createQueryBuilder(Message, "message")
    .select("message.line_id", "lineId")
    .addSelect("message.provider_id", "providerId")
    .where({
      lineId: In(given.map(({ lineId }) => lineId)),
      // Without this condition, SQLite would scan all messages of the lines.
      direction: MessageDirection.outbound,
      providerId: In(given.map((each) => each.providerId)),
    })
    .getRawMany<{ lineId: string; providerId: string }>();
  const taken = new Set(rows.map(({ lineId, providerId }) => `${lineId} ${providerId}`));
  return ended.map((each) => {
    const { result, channelId: lineId } = each;
    if (!("providerId" in result) || result.providerId === null) return each;
    const id = `${lineId} ${result.providerId}`;
    if (taken.has(id)) return { ...each, result: { ...result, providerId: null } };
    taken.add(id);
    return each;
  });
}
