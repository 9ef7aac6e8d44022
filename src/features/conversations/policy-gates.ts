import { In } from "typeorm";
import { type Timestamp, timestamp, timestampOf } from "../../common/time";
import { changeTogether } from "../../database/change-together";
import { lockRows } from "../../database/lock-rows";
import { padded, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { updatesOf } from "../../database/updates-of";
import { AttemptOutcome } from "../../delivery/driver";
import { LOCKED_MS } from "../../delivery/lane-work";
import type { CompiledConfigurations } from "../configuration/compiled-configurations";
import {
  type Cap,
  type ContactPolicy,
  isAbout,
  type PolicyHold,
} from "../configuration/document/contact-policy";
import { Contact } from "../contacts/contact.entity";
import type { QueuedMessage } from "../messages/gates";
import { Message } from "../messages/message.entity";
import { MessageError, MessageStatus, ScheduledReason } from "../messages/message.enums";
import { isBound, type PolicyDecision, type PolicyGates, type Rescheduled } from "../messages/policy-gates";

/** Delay before caps are rechecked while messages to the contact are being sent and may still fail (ms). */
const SENDING_MS = 1_000;

/** A message that counts toward a contact's caps. */
interface Counted {
  topic: string | null;
  /** The time when the message was sent (ms since the epoch); null while it is being sent. */
  sentAtMs: number | null;
}

/** The messages that count toward a contact's caps, by ID. */
type CountedMessages = Map<string, Counted>;

/**
 * Reads agents' policies for messages written unprompted or about a topic. Caps are exact across processes,
 * because the messages' contacts are locked; messages to contacts locked elsewhere are rechecked later.
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

/** Returns the longest cap period for each contact (ms). */
function periodsOf(
  messages: readonly QueuedMessage[],
  policies: ReadonlyMap<string, ContactPolicy>,
): Map<string, number> {
  const periods = new Map<string, number>();
  for (const message of messages) {
    const contactId = contactOf(message);
    const caps = capsOn(message, policies.get(message.id));
    if (contactId === undefined || caps.length === 0) continue;
    periods.set(contactId, Math.max(periods.get(contactId) ?? 0, ...caps.map(({ withinMs }) => withinMs)));
  }
  return periods;
}

/** Returns the policy's caps that apply to a message. */
const capsOn = (message: QueuedMessage, policy: ContactPolicy | undefined): Cap[] =>
  (isBound(message) && policy?.capsOn(message.topic)) || [];

const contactOf = ({ context }: Pick<QueuedMessage, "context">): string | undefined =>
  context.conversation?.contactId;

/**
 * Locks the contacts that no other transaction has locked, and reads their messages that count toward caps.
 * @param periods how far back to read for each contact (ms)
 */
async function readCounted(
  tx: Tx,
  periods: ReadonlyMap<string, number>,
): Promise<Map<string, CountedMessages>> {
  const counted = new Map<string, CountedMessages>();
  if (periods.size === 0) return counted;
  const query = tx.createQueryBuilder(Contact, "contact").where({ id: In([...periods.keys()]) });
  const locked = await lockRows(tx, query, { skipLocked: true });
  for (const contactId of locked.keys()) counted.set(contactId, new Map());
  if (counted.size === 0) return counted;
  const contactIds = padded([...counted.keys()]);
  const since = timestampOf(Date.now() - Math.max(...periods.values()));
  // Unsent messages do not count, unless an attempt with an uncertain result may have delivered them.
  const those = (condition: string) => `
    select capped_contact_id as "contactId", id, status, topic,
      coalesce(case when status <> '${MessageStatus.failed}' then sent_at end, (
        select max(ended_at) from delivery_attempt
        where message_id = message.id and outcome = '${AttemptOutcome.uncertain}'
      )) as "sentAt"
    from message where capped_contact_id in ${placeholders(1, contactIds.length, 2)} and ${condition}`;
  const rows: (Pick<Message, "id" | "status" | "topic" | "sentAt"> & { contactId: string })[] =
    await tx.query(`${those("sent_at > $1")} union all ${those("sent_at is null")}`, [since, ...contactIds]);
  for (const { contactId, id, status, topic, sentAt } of rows) {
    const sentAtMs = status === MessageStatus.sending || sentAt === null ? null : Date.parse(sentAt);
    if (status === MessageStatus.sending || sentAtMs !== null)
      counted.get(contactId)?.set(id, { topic, sentAtMs });
  }
  return counted;
}

class ReadPolicyGates implements PolicyGates {
  private readonly sent: QueuedMessage[] = [];

  /** Policies by message ID, and counted messages by contact ID. */
  constructor(
    private readonly tx: Tx,
    private readonly policies: ReadonlyMap<string, ContactPolicy>,
    private readonly counted: ReadonlyMap<string, CountedMessages>,
  ) {}

  decide(message: QueuedMessage, now: Timestamp): PolicyDecision | undefined {
    const policy = this.policies.get(message.id);
    if (policy === undefined) return undefined;
    const { topic, context } = message;
    if (topic !== null && policy.isOptIn(topic) && !context.conversation?.hasOptedIn)
      return { status: MessageStatus.canceled, errorCode: MessageError.opted_out };
    if (!isBound(message)) return undefined;
    const timezone = context.conversation?.timezone ?? null;
    const closed = policy.closedUntil(timezone, now);
    if (closed !== undefined)
      return rescheduled(ScheduledReason.window, closed, laterBy(message, closed.until, now));
    const contactId = contactOf(message);
    const caps = policy.capsOn(topic);
    if (caps.length === 0 || contactId === undefined) return undefined;
    const counted = this.counted.get(contactId);
    if (counted === undefined) return askAgain(LOCKED_MS);
    const nowMs = Date.parse(now);
    // Earlier attempts to send this message do not count toward its caps.
    const others = [...counted].flatMap(([id, other]) => (id === message.id ? [] : other));
    const full = fullUntil(caps, others, nowMs);
    if (full !== undefined) {
      const { expiresAt } = message;
      if (expiresAt !== null && full.until >= expiresAt)
        return { status: MessageStatus.failed, errorCode: MessageError.capped };
      const until = policy.closedUntil(timezone, full.until)?.until ?? full.until;
      return rescheduled(ScheduledReason.cap, { ...full, until }, laterBy(message, until, full.until));
    }
    const isFull = caps.some((cap) => {
      const sending = others.filter(({ topic, sentAtMs }) => sentAtMs === null && isAbout(cap, topic));
      return sentWithin(cap, others, nowMs).length + sending.length >= cap.max;
    });
    return isFull ? askAgain(SENDING_MS) : undefined;
  }

  count(
    message: QueuedMessage,
    status: typeof MessageStatus.sending | typeof MessageStatus.delivered,
    now: Timestamp,
  ): void {
    const counted = this.counted.get(contactOf(message) ?? "");
    if (capsOn(message, this.policies.get(message.id)).length === 0 || counted === undefined) return;
    this.sent.push(message);
    const sentAtMs = status === MessageStatus.sending ? null : Date.parse(now);
    counted.set(message.id, { topic: message.topic, sentAtMs });
  }

  async store(): Promise<void> {
    const rows = this.sent.map((message) => ({
      id: message.id,
      cappedContactId: contactOf(message) ?? null,
    }));
    await changeTogether(this.tx, updatesOf(this.tx, Message, rows as Message[], ["cappedContactId"]));
  }
}

/** Returns when all full caps allow another message, and the path of the last; undefined if none is full. */
function fullUntil(caps: readonly Cap[], others: readonly Counted[], nowMs: number): PolicyHold | undefined {
  let last: { untilMs: number; path: string } | undefined;
  for (const cap of caps) {
    const { max, withinMs, path } = cap;
    const first = sentWithin(cap, others, nowMs)[max - 1];
    if (first !== undefined && first + withinMs > (last?.untilMs ?? 0))
      last = { untilMs: first + withinMs, path };
  }
  return last && { until: timestampOf(last.untilMs), path: last.path };
}

/** Returns the times of the messages that count toward a cap in its current period, newest first. */
const sentWithin = (cap: Cap, others: readonly Counted[], nowMs: number): number[] =>
  others
    .flatMap(({ topic, sentAtMs }) =>
      sentAtMs !== null && sentAtMs > nowMs - cap.withinMs && isAbout(cap, topic) ? sentAtMs : [],
    )
    .sort((a, b) => b - a);

/** Returns a message's expiry time, extended by the time spent waiting for a window. */
const laterBy = ({ expiresAt }: QueuedMessage, until: Timestamp, from: Timestamp): Timestamp | null =>
  expiresAt && timestampOf(Date.parse(expiresAt) + Date.parse(until) - Date.parse(from));

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
