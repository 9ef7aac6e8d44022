import { In } from "typeorm";
import { type Timestamp, timestamp, timestampOf } from "../../common/time";
import { changeTogether } from "../../database/change-together";
import { lockRows } from "../../database/lock-rows";
import { padded, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { updatesOf } from "../../database/updates-of";
import { AttemptOutcome } from "../../delivery/driver";
import type { CompiledConfigurations } from "../configuration/compiled-configurations";
import type { ContactPolicy, PolicyHold } from "../configuration/document/contact-policy";
import { Contact } from "../contacts/contact.entity";
import type { QueuedMessage } from "../messages/gates";
import { Message } from "../messages/message.entity";
import { MessageError, MessageStatus, ScheduledReason } from "../messages/message.enums";
import type { PolicyDecision, PolicyGates, Rescheduled } from "../messages/policy-gates";

/** How soon to ask again if another transaction holds the contact (ms). */
const LOCKED_MS = 250;

/** How soon to ask again if messages to the contact are being sent that may fail (ms). */
const SENDING_MS = 1_000;

/** The messages to a contact that caps count, by ID. */
interface Counted {
  /** When they were sent (ms since the epoch). */
  sent: Map<string, number>;
  /** Those that are being sent. */
  sending: Set<string>;
}

/**
 * Reads the policies of agents for messages that they wrote unprompted. Caps are exact over all processes: their
 * contacts are locked until the transaction ends, unless another transaction has locked them.
 */
export const readPolicyGates =
  (configurations: CompiledConfigurations) =>
  async (tx: Tx, messages: readonly QueuedMessage[]): Promise<PolicyGates> => {
    const policies = new Map<string, ContactPolicy>();
    for (const { id, context } of messages) {
      const { agentId, policyVersion } = context;
      policies.set(id, await configurations.policyAt(tx, agentId, policyVersion as number));
    }
    const counted = await readCounted(tx, periodsOf(messages, policies));
    return new ReadPolicyGates(tx, policies, counted);
  };

/** The longest period of a cap for each contact (ms). */
function periodsOf(
  messages: readonly QueuedMessage[],
  policies: ReadonlyMap<string, ContactPolicy>,
): Map<string, number> {
  const periods = new Map<string, number>();
  for (const message of messages) {
    const contactId = contactOf(message);
    const caps = policies.get(message.id)?.caps ?? [];
    if (contactId === undefined || caps.length === 0) continue;
    periods.set(contactId, Math.max(periods.get(contactId) ?? 0, ...caps.map(({ withinMs }) => withinMs)));
  }
  return periods;
}

const contactOf = ({ context }: Pick<QueuedMessage, "context">): string | undefined =>
  context.conversation?.contactId;

/**
 * Locks the free ones of contacts, and reads their messages that count.
 * @param periods how far back to read for each contact (ms)
 */
async function readCounted(tx: Tx, periods: ReadonlyMap<string, number>): Promise<Map<string, Counted>> {
  const counted = new Map<string, Counted>();
  if (periods.size === 0) return counted;
  const query = tx.createQueryBuilder(Contact, "contact").where({ id: In([...periods.keys()]) });
  const locked = await lockRows(tx, query, { skipLocked: true });
  for (const contactId of locked.keys()) counted.set(contactId, { sent: new Map(), sending: new Set() });
  if (counted.size === 0) return counted;
  const contactIds = padded([...counted.keys()]);
  const since = timestampOf(Date.now() - Math.max(...periods.values()));
  // A message that was not accepted does not count, but one whose attempt was cut off may have arrived.
  const those = (condition: string) => `
    select capped_contact_id as "contactId", id, status,
      coalesce(case when status <> '${MessageStatus.failed}' then sent_at end, (
        select ended_at from delivery_attempt
        where message_id = message.id and number = message.attempts and outcome = '${AttemptOutcome.uncertain}'
      )) as "sentAt"
    from message where capped_contact_id in ${placeholders(1, contactIds.length, 2)} and ${condition}`;
  const rows: { contactId: string; id: string; status: MessageStatus; sentAt: Timestamp | null }[] =
    await tx.query(`${those("sent_at > $1")} union all ${those("sent_at is null")}`, [since, ...contactIds]);
  for (const { contactId, id, status, sentAt } of rows) {
    const of = counted.get(contactId) as Counted;
    if (status === MessageStatus.sending) of.sending.add(id);
    else if (sentAt !== null) of.sent.set(id, Date.parse(sentAt));
  }
  return counted;
}

class ReadPolicyGates implements PolicyGates {
  private readonly sent: QueuedMessage[] = [];

  /**
   * @param policies by the ID of the message
   * @param counted by the ID of the contact
   */
  constructor(
    private readonly tx: Tx,
    private readonly policies: ReadonlyMap<string, ContactPolicy>,
    private readonly counted: ReadonlyMap<string, Counted>,
  ) {}

  decide(message: QueuedMessage, now: Timestamp): PolicyDecision | undefined {
    const policy = this.policies.get(message.id);
    if (policy === undefined) return undefined;
    const timezone = message.context.conversation?.timezone ?? null;
    const closed = policy.closedUntil(timezone, now);
    if (closed !== undefined)
      return rescheduled(ScheduledReason.window, closed, laterBy(message, closed, now));
    const contactId = contactOf(message);
    if (policy.caps.length === 0 || contactId === undefined) return undefined;
    const counted = this.counted.get(contactId);
    if (counted === undefined) return askAgain(LOCKED_MS);
    const nowMs = Date.parse(now);
    // Newest first, without earlier attempts of the message itself.
    const sentAt = [...counted.sent]
      .flatMap(([id, at]) => (id === message.id ? [] : at))
      .sort((a, b) => b - a);
    const full = fullUntil(policy, sentAt, nowMs);
    if (full !== undefined) {
      const until = policy.closedUntil(timezone, full.until)?.until ?? full.until;
      const { expiresAt } = message;
      if (expiresAt !== null && until >= expiresAt)
        return { status: MessageStatus.failed, errorCode: MessageError.capped };
      return rescheduled(ScheduledReason.cap, { ...full, until }, expiresAt);
    }
    const others = [...counted.sending].filter((id) => id !== message.id).length;
    const isFull = policy.caps.some(
      ({ max, withinMs }) => within(sentAt, withinMs, nowMs).length + others >= max,
    );
    return isFull ? askAgain(SENDING_MS) : undefined;
  }

  count(
    message: QueuedMessage,
    status: MessageStatus.sending | MessageStatus.delivered,
    now: Timestamp,
  ): void {
    const { caps = [] } = this.policies.get(message.id) ?? {};
    const counted = this.counted.get(contactOf(message) ?? "");
    if (caps.length === 0 || counted === undefined) return;
    this.sent.push(message);
    counted.sent.delete(message.id);
    if (status === MessageStatus.sending) counted.sending.add(message.id);
    else counted.sent.set(message.id, Date.parse(now));
  }

  async store(): Promise<void> {
    const rows = this.sent.map((message) => ({
      id: message.id,
      cappedContactId: contactOf(message) ?? null,
    }));
    await changeTogether(this.tx, updatesOf(this.tx, Message, rows as Message[], ["cappedContactId"]));
  }
}

/** Until when full caps allow no message, and the last of them; undefined if none is full. */
function fullUntil(policy: ContactPolicy, sentAt: readonly number[], nowMs: number): PolicyHold | undefined {
  let last: { untilMs: number; path: string } | undefined;
  for (const { max, withinMs, path } of policy.caps) {
    const first = within(sentAt, withinMs, nowMs)[max - 1];
    if (first !== undefined && first + withinMs > (last?.untilMs ?? 0))
      last = { untilMs: first + withinMs, path };
  }
  return last && { until: timestampOf(last.untilMs), path: last.path };
}

/** The times within a period that ends now. */
const within = (sentAt: readonly number[], periodMs: number, nowMs: number): readonly number[] =>
  sentAt.filter((at) => at > nowMs - periodMs);

/** When a message expires if it waits until a window opens, because the wait does not count. */
const laterBy = ({ expiresAt }: QueuedMessage, { until }: PolicyHold, now: Timestamp): Timestamp | null =>
  expiresAt && timestampOf(Date.parse(expiresAt) + Date.parse(until) - Date.parse(now));

const rescheduled = (
  scheduledReason: ScheduledReason,
  { until, path }: PolicyHold,
  expiresAt: Timestamp | null,
): Rescheduled => ({
  status: MessageStatus.scheduled,
  sendAt: until,
  scheduledReason,
  scheduledBy: path,
  expiresAt,
});

const askAgain = (afterMs: number): PolicyDecision => ({
  status: MessageStatus.queued,
  askAgainAt: timestamp(afterMs),
});
