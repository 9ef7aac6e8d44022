import { type Timestamp, timestamp } from "../../common/time";
import type { Tx } from "../../database/unit-of-work";
import type { OutboundMessage } from "../../delivery/driver";
import { type Dispatch, type DueWork, type LaneContext, LOCKED_MS } from "../../delivery/lane-work";
import type { Lanes } from "../../delivery/lanes";
import type { HookRegistry } from "../../schema/hooks";
import type { UnsubscribeLinks } from "../contacts/unsubscribe-links";
import { LineKind, WhenUncertain } from "../lines/line.entity";
import type { LineDrivers } from "../lines/line-drivers";
import { type GateLine, gate, held, type QueuedMessage, type QueuedRow, type Start } from "./gates";
import { EXPIRE_AFTER_MS } from "./message.entity";
import { HeldReason, MessageAuthor, MessageStatus } from "./message.enums";
import { UNSUBSCRIBE_URL } from "./message.limits";
import { tellFailed } from "./message-events";
import { policyGatesFor, type Rescheduled } from "./policy-gates";
import { Rates } from "./rates";
import { type Content, recordLostAttempts, reschedule, storeStarts } from "./store-starts";

/** The reasons that apply to all messages of a line. */
const OF_LINE: ReadonlySet<HeldReason | null> = new Set([
  HeldReason.line_paused,
  HeldReason.no_route,
  HeldReason.organization_deactivated,
]);

export interface Dependencies {
  lanes: Lanes;
  drivers: LineDrivers;
  hooks: HookRegistry;
  unsubscribeLinks: UnsubscribeLinks;
}

/**
 * Sends each lane's messages in order; a held message blocks the messages behind it. A local line does no
 * I/O, so its messages are delivered in the transaction; on other lines, a lane sends one message at a time.
 * @param queues the waiting messages of locked lanes; the first ones get senders first
 */
export async function startMessages(
  tx: Tx,
  queues: ReadonlyMap<string, readonly QueuedMessage[]>,
  { lanes, drivers, hooks, unsubscribeLinks }: Dependencies,
  { senders, observer }: LaneContext,
): Promise<DueWork> {
  const all = [...queues.values()].flat();
  const rates = await Rates.of(
    tx,
    all.flatMap(({ context }) => context.line ?? []),
  );
  const policies = await policyGatesFor(tx, hooks, all);
  const now = timestamp();
  const next = new Map<string, Timestamp>();
  const waiting: DueWork["waiting"][number][] = [];
  const starts: (readonly [QueuedMessage, Start])[] = [];
  const later: (readonly [QueuedMessage, Rescheduled])[] = [];
  const leaving: (readonly [string, QueuedMessage, GateLine])[] = [];
  for (const [laneId, queue] of queues) {
    let isBlocked = false;
    for (const message of queue) {
      const line = gate(message, message.context, now);
      if (!("kind" in line)) {
        starts.push([message, line]);
        if (line.status !== MessageStatus.queued) continue;
        const due = earliest(isBlocked ? null : line.notBefore, expiryOf(message));
        next.set(laneId, earliest(next.get(laneId), due));
        isBlocked = true;
        continue;
      }
      // A message that is waiting behind another message can only expire.
      if (isBlocked) {
        if (OF_LINE.has(message.heldReason)) starts.push([message, held(null)]);
        next.set(laneId, earliest(next.get(laneId), expiryOf(message)));
        continue;
      }
      const decided = policies.decide(message, now);
      if (decided?.status === MessageStatus.queued) {
        next.set(laneId, earliest(decided.askAgainAt, expiryOf(message)));
        isBlocked = true;
        continue;
      }
      if (decided !== undefined) {
        if (decided.status === MessageStatus.scheduled) later.push([message, decided]);
        else starts.push([message, decided]);
        continue;
      }
      if (rates.isLocked(line)) {
        next.set(laneId, earliest(timestamp(LOCKED_MS), expiryOf(message)));
        isBlocked = true;
        continue;
      }
      const isLocal = line.kind === LineKind.local;
      // If the process is killed, the attempts of messages waiting for a sender become uncertain as well.
      const mayWait = line.whenUncertain === WhenUncertain.retry;
      if (!isLocal && !senders.take(laneId, line.id, { mayWait })) {
        waiting.push({ laneId, channelId: line.id });
        isBlocked = true;
        continue;
      }
      const turn = rates.take(line, message);
      if (turn !== undefined) {
        if (!isLocal) senders.giveBack(laneId, line.id);
        starts.push([message, held(HeldReason.rate, turn)]);
        next.set(laneId, earliest(turn, expiryOf(message)));
        isBlocked = true;
      } else if (isLocal) {
        starts.push([message, { status: MessageStatus.delivered, line }]);
        policies.count(message, MessageStatus.delivered, now);
      } else {
        starts.push([message, { status: MessageStatus.sending, line }]);
        policies.count(message, MessageStatus.sending, now);
        leaving.push([laneId, message, line]);
        isBlocked = true;
      }
    }
  }
  await rates.store(tx);
  await recordLostAttempts(
    tx,
    all.filter(({ status }) => status === MessageStatus.sending),
    now,
    observer,
  );
  const contents = await storeStarts(tx, starts, now, observer);
  await policies.store();
  for (const [id, sendAt] of await reschedule(tx, lanes, later, now, observer)) next.set(id, sendAt);
  const failed = starts.flatMap(([{ id }, start]) =>
    start.status === MessageStatus.failed ? [{ id, errorCode: start.errorCode }] : [],
  );
  await tellFailed(tx, hooks, failed);
  return {
    next,
    waiting,
    dispatches: await dispatchesOf(tx, leaving, contents, { drivers, unsubscribeLinks }),
  };
}

const expiryOf = ({ expiresAt }: QueuedRow): Timestamp => expiresAt ?? timestamp(EXPIRE_AFTER_MS);

const earliest = (one: Timestamp | null | undefined, other: Timestamp): Timestamp =>
  one != null && one < other ? one : other;

/** Returns the value of an e-mail's `Auto-Submitted` header; null for a message from a member. */
function autoSubmittedOf(author: MessageAuthor): OutboundMessage["autoSubmitted"] {
  if (author === MessageAuthor.member) return null;
  return author === MessageAuthor.api ? "auto-generated" : "auto-replied";
}

/** Returns a message's texts with the placeholder replaced by the unsubscribe link. */
const withLink = ({ text, html }: Content, url = ""): Pick<Content, "text" | "html"> => ({
  text: text.replaceAll(UNSUBSCRIBE_URL, () => url),
  html: html?.replaceAll(UNSUBSCRIBE_URL, () => url) ?? null,
});

/** Returns messages' dispatches, with texts, addresses and drivers. */
async function dispatchesOf(
  tx: Tx,
  leaving: readonly (readonly [string, QueuedMessage, GateLine])[],
  contents: ReadonlyMap<string, Content>,
  { drivers, unsubscribeLinks }: Pick<Dependencies, "drivers" | "unsubscribeLinks">,
): Promise<Dispatch[]> {
  if (leaving.length === 0) return [];
  const hasTopics = leaving.some(([, { topic }]) => topic !== null);
  const linkTo = hasTopics ? await unsubscribeLinks.creating(tx) : undefined;
  const senders = await drivers.sendersOf(
    tx,
    leaving.map(([, , line]) => line),
  );
  return leaving.flatMap(([laneId, { id, author, attempts, createdAt, topic, context }, line]) => {
    const content = contents.get(id);
    const send = senders.get(line.id);
    if (content === undefined || send === undefined) return [];
    const { contactId = null, address } = context.conversation ?? {};
    const unsubscribeUrl =
      topic === null || address === undefined ? undefined : linkTo?.({ ...context, ...address, topic });
    const message = {
      ...{ id, createdAt, ...content, contactId, to: address?.address ?? null, unsubscribeUrl },
      ...(topic !== null && withLink(content, unsubscribeUrl)),
      autoSubmitted: autoSubmittedOf(author),
    };
    return [
      {
        laneId,
        channelId: line.id,
        channelKind: line.kind,
        message,
        attempt: attempts + 1,
        send: (how) => send(message, how),
      },
    ];
  });
}
