import { groupBy } from "../../common/group-by";
import type { Timestamp } from "../../common/time";
import { changeTogether } from "../../database/change-together";
import { allReturning, padded, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { AttemptOutcome, type MailThread } from "../../delivery/driver";
import type { Lanes } from "../../delivery/lanes";
import type { WorkObserver } from "../../delivery/observer";
import { SCHEDULE_LANE } from "../../delivery/wake-lanes";
import { recordEvents } from "../events/record-events";
import { LineKind } from "../lines/line.entity";
import type { QueuedMessage, QueuedRow, Start } from "./gates";
import { laneOf } from "./insert-messages";
import type { Message } from "./message.entity";
import { MessageDirection, MessageStatus } from "./message.enums";
import { ATTEMPTS, MESSAGES, observeSent, RECOVERIES } from "./message.metrics";
import { statusEvent, statusEvents, TOLD, type Told } from "./message-events";
import type { Rescheduled } from "./policy-gates";

/** The message columns that are read only when a message is sent. */
export interface Content extends Pick<Message, "text" | "subject" | "html" | "conversationId"> {
  thread?: MailThread | undefined;
}

/** Max number of earlier messages to search for the e-mail to reply to. */
const MAX_SEARCHED = 100;

/** SQL for the `Message-ID` and subject of this line's first e-mail to the contact in a range. */
const firstOfLine = (isSearched: string) =>
  `(select coalesce('<' || earlier.provider_id || '>', earlier.id) || '\n' || coalesce(earlier.subject, '')
     from message earlier
     where earlier.conversation_id = message.conversation_id and earlier.sequence < message.sequence
       and ${isSearched} and earlier.direction = '${MessageDirection.outbound}'
       and earlier.sent_at is not null and earlier.line_id = message.line_id
     order by earlier.sequence limit 1)`;

/**
 * SQL expression that returns the thread to continue with an e-mail: the `References` and, on a new line, the
 * subject of the contact's last e-mail or else the `Message-ID` and subject of this line's first e-mail. Searches
 * the first and the last messages separately, because one query with `or` would search all of them.
 */
const THREAD = `case when message.status = '${MessageStatus.sending}' and message.sequence > 1
    and exists (select 1 from line mail where mail.id = message.line_id and mail.kind = '${LineKind.email}')
  then coalesce(
    (select earlier.thread || '\n' || coalesce(earlier.subject, '') from message earlier
     where earlier.conversation_id = message.conversation_id and earlier.sequence < message.sequence
       and earlier.sequence >= message.sequence - ${MAX_SEARCHED} and earlier.thread is not null
     order by earlier.sequence desc limit 1),
    ${firstOfLine(`earlier.sequence <= ${MAX_SEARCHED}`)},
    ${firstOfLine(`earlier.sequence >= message.sequence - ${MAX_SEARCHED}`)}) end`;

function threadOf(text: string | null): MailThread | undefined {
  if (text === null) return undefined;
  const [references = "", subject = ""] = text.split("\n");
  return { references: references.split(" ").filter((id) => id !== ""), subject: subject || null };
}

/**
 * Stores the changes to queued messages, and an attempt for each message that is delivered or sent.
 * @returns the messages' contents to send
 */
export async function storeStarts(
  tx: Tx,
  starts: readonly (readonly [QueuedMessage, Start])[],
  now: Timestamp,
  observer: WorkObserver,
): Promise<ReadonlyMap<string, Content>> {
  const changes = starts.filter(
    ([{ heldReason, notBefore, status }, start]) =>
      start.status !== MessageStatus.queued ||
      status !== MessageStatus.queued ||
      start.heldReason !== heldReason ||
      start.notBefore !== notBefore,
  );
  if (changes.length === 0) return new Map();
  const rows = padded(changes);
  const change = {
    sql: `with started (id, status, held_reason, not_before, error_code, line_id, attempts, delivered_at) as
       (values ${placeholders(rows.length, 8)})
     update message set status = started.status, held_reason = started.held_reason, not_before = started.not_before,
       error_code = started.error_code,
       error_text = case when started.status <> '${MessageStatus.delivered}' then message.error_text end, line_id = coalesce(started.line_id, message.line_id),
       attempts = cast(started.attempts as integer), sent_at = started.delivered_at, delivered_at = started.delivered_at,
       updated_at = $${rows.length * 8 + 1}
     from started where message.id = started.id
     returning ${TOLD},
       case when message.status = '${MessageStatus.sending}' then message.message end as text,
       case when message.status = '${MessageStatus.sending}' then message.html end as html,
       message.subject as subject,
       ${THREAD} as thread`,
    parameters: [...rows.flatMap(([message, start]) => columnsOf(message, start, now)), now],
  };
  const made = changes.flatMap(([message, start]) => ("line" in start ? [{ message, start }] : []));
  const attempts = {
    sql: `insert into delivery_attempt (message_id, number, line_id, started_at, ended_at, outcome)
     values ${placeholders(made.length, 6)}`,
    parameters: made.flatMap(({ message: { id, attempts }, start: { status, line } }) => [
      ...[id, attempts + 1, line.id, now],
      ...(status === MessageStatus.delivered ? [now, AttemptOutcome.accepted] : [null, null]),
    ]),
  };
  const stored = await changeTogether<Told & Omit<Content, "thread"> & { thread: string | null }>(
    tx,
    made.length === 0 ? [change] : [change, attempts],
  );
  const contents = new Map<string, Content>();
  for (const { id, status, text, subject, html, conversationId, thread } of stored)
    if (status === MessageStatus.sending)
      contents.set(id, { text, subject, html, conversationId, thread: threadOf(thread) });
  const byId = new Map(stored.map((message) => [message.id, message]));
  recordEvents(tx, statusEvents(changes.flatMap(([{ id }]) => byId.get(id) ?? [])));
  for (const [status, { length }] of groupBy(changes, ([, start]) => start.status))
    if (status !== MessageStatus.queued) observer.count(MESSAGES, [status], length);
  const delivered = made.filter(({ start }) => start.status === MessageStatus.delivered);
  observer.count(ATTEMPTS, [LineKind.local, AttemptOutcome.accepted], delivered.length);
  observeSent(
    observer,
    delivered.map(({ message }) => message.createdAt),
  );
  return contents;
}

/** Returns the values of the columns of `started`, in order. */
function columnsOf({ id, attempts }: QueuedRow, start: Start, now: Timestamp): (string | null)[] {
  if ("line" in start) {
    const deliveredAt = start.status === MessageStatus.delivered ? now : null;
    return [id, start.status, null, null, null, start.line.id, String(attempts + 1), deliveredAt];
  }
  if (start.status === MessageStatus.queued)
    return [id, start.status, start.heldReason, start.notBefore, null, null, String(attempts), null];
  return [id, start.status, null, null, start.errorCode, null, String(attempts), null];
}

/** Marks attempts as uncertain after the processes that made them have exited. */
export async function recordLostAttempts(
  tx: Tx,
  messages: readonly QueuedRow[],
  now: Timestamp,
  observer: WorkObserver,
): Promise<void> {
  if (messages.length === 0) return;
  const first = messages.length * 2 + 1;
  await tx.query(
    `with lost (id, number) as (values ${placeholders(messages.length, 2)})
     update delivery_attempt set ended_at = $${first}, outcome = $${first + 1}, code = $${first + 2}, detail = $${first + 3}
     from lost where message_id = lost.id and delivery_attempt.number = cast(lost.number as integer) and outcome is null`,
    [
      ...messages.flatMap(({ id, attempts }) => [id, String(attempts)]),
      now,
      AttemptOutcome.uncertain,
      "process_lost",
      "The process that was sending the message ended before it received the response.",
    ],
  );
  observer.count(RECOVERIES, [], messages.length);
}

/**
 * Reschedules queued messages with locked lanes; they lose their positions and move to separate lanes.
 * @returns the standalone messages, and when their lanes are next due
 */
export async function reschedule(
  tx: Tx,
  lanes: Lanes,
  messages: readonly (readonly [QueuedMessage, Rescheduled])[],
  now: Timestamp,
  observer: WorkObserver,
): Promise<ReadonlyMap<string, Timestamp>> {
  const standalone = new Map<string, Timestamp>();
  if (messages.length === 0) return standalone;
  const rows = padded(messages);
  const stored = await allReturning<Told & Pick<Message, "sendAt">>(
    tx,
    `with later (id, send_at, reason, path, expires_at) as (values ${placeholders(rows.length, 5)})
     update message set status = '${MessageStatus.scheduled}', sequence = null, send_at = later.send_at,
       scheduled_reason = later.reason, scheduled_by = later.path, expires_at = later.expires_at, held_reason = null,
       not_before = null, updated_at = $${rows.length * 5 + 1}
     from later where message.id = later.id
     returning ${TOLD}, message.send_at as "sendAt", message.scheduled_reason as "scheduledReason",
       message.scheduled_by as "scheduledBy"`,
    [
      ...rows.flatMap(([{ id }, { sendAt, scheduledReason, scheduledBy, expiresAt }]) => [
        ...[id, sendAt, scheduledReason, scheduledBy, expiresAt],
      ]),
      now,
    ],
  );
  const [alone = [], others = []] = [true, false].map((isAlone) =>
    stored.filter(({ conversationId }) => (conversationId === null) === isAlone),
  );
  for (const { id, sendAt } of alone) standalone.set(id, sendAt ?? now);
  if (alone.length > 0) await lanes.become(tx, [...standalone.keys()], SCHEDULE_LANE);
  await lanes.add(tx, others.map(laneOf));
  const inOrder = new Map(messages.map(([{ id }], i) => [id, i]));
  stored.sort((a, b) => (inOrder.get(a.id) ?? 0) - (inOrder.get(b.id) ?? 0));
  recordEvents(tx, stored.map(statusEvent));
  observer.count(MESSAGES, [MessageStatus.scheduled], stored.length);
  return standalone;
}
