import { v7 as uuid } from "uuid";
import { timestamp } from "../../common/time";
import { type Change, changeTogether } from "../../database/change-together";
import { coalesceKeysInTx } from "../../database/coalesce-in-tx";
import { insertsOf } from "../../database/insert-all";
import { allReturning, padded, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import { TIMER_LANE } from "../../delivery/wake-lanes";
import { GatewayError } from "../../errors";
import { MAX_TIMERS } from "../configuration/configuration.limits";
import type { TimerCanceler } from "../configuration/document/effect-format";
import type { Contact } from "../contacts/contact.entity";
import { closestSubject, type NewEvent, recordEvents } from "../events/record-events";
import { Timer } from "./timer.entity";
import { TIMERS } from "./timer.metrics";

/** The reason for canceling a timer. */
export type CancelReason = TimerCanceler | "replaced" | "effect" | "request" | "erased";

export type NewTimer = Pick<
  Timer,
  "conversationId" | "isNamed" | "key" | "situationType" | "data" | "unless" | "dueAt" | "decisionId"
>;

/**
 * The waiting timers of a contact, or of an agent's situations without a contact, in a transaction that
 * holds this subject's lock (`lockSubjects`), so that timers are changed and fired one at a time.
 */
export class WaitingTimers {
  private rows: Promise<Timer[]> | undefined;

  constructor(
    private readonly tx: Tx,
    private readonly lanes: Lanes,
    private readonly agentId: string,
    private readonly contact: Contact | null,
  ) {}

  /**
   * Sets a timer, replacing any timer with the same key.
   * @throws GatewayError `limit_reached`
   */
  async set(timer: NewTimer): Promise<Timer> {
    const { tx, agentId, contact } = this;
    const rows = await this.all();
    const earlier = rows.find(({ key }) => key === timer.key);
    if (earlier === undefined && rows.length >= MAX_TIMERS)
      throw new GatewayError("limit_reached", `At most ${MAX_TIMERS} timers can be waiting at once.`);
    const contactId = contact?.id ?? null;
    const subject = { agentId, subjectId: contactId ?? agentId, contactId };
    const created = { id: uuid(), ...subject, ...timer, createdAt: timestamp() };
    const { id, dueAt: wakeAt } = created;
    this.rows = Promise.resolve([...rows.filter((each) => each !== earlier), created]);
    await changeTogether(tx, [
      ...insertsOf(tx, Timer, [created]).map(({ sql, ...insert }) => ({
        ...insert,
        sql: `${sql} ${OR_REPLACE}`,
      })),
      ...this.lanes.ending(earlier === undefined ? [] : [earlier.id]),
      ...this.lanes.adding(tx, [{ id, agentId, kind: TIMER_LANE, wakeAt }]),
      ...this.flagging(true),
    ]);
    if (earlier !== undefined) recordCanceled(tx, this.lanes, [earlier], "replaced");
    recordEvents(tx, [timerEvent("timer.set", created)]);
    this.lanes.observing(tx).count(TIMERS, ["set"]);
    return created;
  }

  /** Cancels the timer with this key; undefined if there is none. */
  async cancel(key: string): Promise<Timer | undefined> {
    const [canceled] = await this.cancelSome("effect", (timer) => timer.key === key);
    return canceled;
  }

  async cancelOn(event: TimerCanceler, conversationId: string): Promise<void> {
    await this.cancelSome(
      event,
      ({ unless, isNamed, conversationId: own }) =>
        unless.includes(event) && (!isNamed || own === conversationId),
    );
  }

  /** Wakes a conversation's timers in case they wait for its line; others go back to sleep. */
  async wake(conversationId: string): Promise<void> {
    const waiting = (await this.all()).filter((each) => each.conversationId === conversationId);
    const ids = waiting.map(({ id }) => id);
    if (ids.length > 0) await this.lanes.wake(this.tx, ids);
  }

  private async cancelSome(reason: CancelReason, isMeant: (timer: Timer) => boolean): Promise<Timer[]> {
    const rows = await this.all();
    const canceled = rows.filter(isMeant);
    const left = rows.filter((each) => !canceled.includes(each));
    const changes = left.length === 0 ? this.flagging(false) : [];
    this.rows = Promise.resolve(left);
    await changeTogether(this.tx, [...changes, ...canceling(this.lanes, canceled)]);
    recordCanceled(this.tx, this.lanes, canceled, reason);
    return canceled;
  }

  private all(): Promise<Timer[]> {
    const { tx, agentId, contact } = this;
    this.rows ??=
      contact?.hasTimers === false
        ? Promise.resolve([])
        : tx.findBy(Timer, { subjectId: contact?.id ?? agentId });
    return this.rows;
  }

  /** Returns the statement that updates the contact's `hasTimers`; an empty list if the flag is unchanged. */
  private flagging(hasTimers: boolean): Change[] {
    const { contact } = this;
    if (contact === null || contact.hasTimers === hasTimers) return [];
    contact.hasTimers = hasTimers;
    return [{ sql: `UPDATE contact SET has_timers = ${hasTimers} WHERE id = $1`, parameters: [contact.id] }];
  }
}

const OR_REPLACE = `ON CONFLICT (subject_id, "key") DO UPDATE SET ${[
  "id",
  "conversation_id",
  "is_named",
  "situation_type",
  "data",
  "unless",
  "due_at",
  "decision_id",
  "created_at",
]
  .map((column) => `"${column}" = excluded."${column}"`)
  .join(", ")}`;

const canceling = (lanes: Lanes, timers: readonly Timer[]): Change[] => {
  const ids = timers.map(({ id }) => id);
  return ids.length === 0 ? [] : [deletion(ids), ...lanes.ending(ids)];
};

const deletion = (ids: readonly string[]): Change => ({
  sql: `DELETE FROM timer WHERE id IN ${placeholders(1, padded(ids).length)}`,
  parameters: padded(ids),
});

/** Cancels timers whose subjects are locked. */
export async function cancelTimers(
  tx: Tx,
  lanes: Lanes,
  timers: readonly Timer[],
  reason: CancelReason,
): Promise<void> {
  await changeTogether(tx, canceling(lanes, timers));
  recordCanceled(tx, lanes, timers, reason);
}

/** Claims a due timer by ID, so that only one transaction fires it; undefined unless it was due. */
export const takeDue = coalesceKeysInTx(async (tx: Tx, ids) => {
  const { sql, parameters } = deletion(ids);
  const now = `$${parameters.length + 1}`;
  const taken = await allReturning<{ id: string }>(tx, `${sql} AND due_at <= ${now} RETURNING id`, [
    ...parameters,
    timestamp(),
  ]);
  return new Map(taken.map((timer) => [timer.id, timer]));
});

function recordCanceled(tx: Tx, lanes: Lanes, timers: readonly Timer[], reason: CancelReason): void {
  if (timers.length === 0) return;
  recordEvents(
    tx,
    timers.map((timer) => timerEvent("timer.canceled", timer, { reason })),
  );
  lanes.observing(tx).count(TIMERS, ["canceled"], timers.length);
}

function timerEvent(type: "timer.set" | "timer.canceled", timer: Timer, more: object = {}): NewEvent {
  const { id, agentId, contactId, conversationId, situationType, dueAt, decisionId } = timer;
  return {
    agentId,
    type,
    subject: closestSubject({ agentId, contactId, conversationId }),
    data: { id, contactId, conversationId, situationType, dueAt, decisionId, ...more },
  };
}
