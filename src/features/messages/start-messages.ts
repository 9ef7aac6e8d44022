import { type EntityManager, In } from "typeorm";
import { type Timestamp, timestamp } from "../../common/time";
import type { Database } from "../../database/database";
import type { Departure, DueWork, LaneSurroundings } from "../../delivery/lane-work";
import { Line, LineKind } from "../lines/line.entity";
import type { LineDrivers } from "../lines/line-drivers";
import { type GateLine, gate, held, type QueuedMessage, type Start, type Waiting } from "./gates";
import { EXPIRE_AFTER_MS, HeldReason, MessageStatus } from "./message.entity";
import { Rates } from "./rates";
import { recordLostAttempts, storeStarts } from "./store-starts";

/** What sends messages. */
export interface Means {
  database: Database;
  drivers: LineDrivers;
}

/**
 * Sends the messages of lanes, each lane in its order: a message that is held back holds back those behind it. A local
 * line does no I/O, so what may leave on it is delivered; on other lines, one message of a lane leaves at a time.
 * @param queues the waiting messages by lane, whose locks the transaction holds
 */
export async function startMessages(
  tx: EntityManager,
  queues: ReadonlyMap<string, readonly Waiting[]>,
  { database, drivers }: Means,
  { senders, observer }: LaneSurroundings,
): Promise<DueWork> {
  const all = [...queues.values()].flat();
  const rates = await Rates.of(
    database,
    tx,
    all.flatMap(({ around }) => around.line ?? []),
  );
  const now = timestamp();
  const next = new Map<string, Timestamp>();
  const waiting: DueWork["waiting"][number][] = [];
  const starts: (readonly [Waiting, Start])[] = [];
  const leaving: (readonly [string, Waiting, GateLine])[] = [];
  for (const [laneId, queue] of queues) {
    let isBlocked = false;
    for (const message of queue) {
      const line = gate(message, message.around, now);
      if (!("kind" in line)) {
        starts.push([message, line]);
        if (line.status !== MessageStatus.queued) continue;
        const due = earliest(isBlocked ? null : line.notBefore, expiryOf(message));
        next.set(laneId, earliest(next.get(laneId), due));
        isBlocked = true;
        continue;
      }
      // What waits behind another message can only be given up.
      if (isBlocked) {
        next.set(laneId, earliest(next.get(laneId), expiryOf(message)));
        continue;
      }
      const isLocal = line.kind === LineKind.local;
      if (!isLocal && !senders.take(line.id)) {
        waiting.push({ laneId, lineId: line.id });
        isBlocked = true;
        continue;
      }
      const turn = rates.take(line, message);
      if (turn !== undefined) {
        if (!isLocal) senders.giveBack(line.id);
        starts.push([message, held(HeldReason.rate, turn)]);
        next.set(laneId, earliest(turn, expiryOf(message)));
        isBlocked = true;
      } else if (isLocal) {
        starts.push([message, { status: MessageStatus.delivered, line }]);
      } else {
        starts.push([message, { status: MessageStatus.sending, line }]);
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
  await storeStarts(tx, starts, now, observer);
  return { next, waiting, departures: await departuresOf(tx, leaving, drivers) };
}

/** When a message is given up. */
const expiryOf = ({ expiresAt }: QueuedMessage): Timestamp => expiresAt ?? timestamp(EXPIRE_AFTER_MS);

const earliest = (one: Timestamp | null | undefined, other: Timestamp): Timestamp =>
  one != null && one < other ? one : other;

interface Content {
  id: string;
  text: string;
  createdAt: Timestamp;
  conversationId: string | null;
  contactId: string | null;
  to: string | null;
}

/** What leaves: the texts and addresses of messages, and how their lines send them. */
async function departuresOf(
  tx: EntityManager,
  leaving: readonly (readonly [string, Waiting, GateLine])[],
  drivers: LineDrivers,
): Promise<Departure[]> {
  if (leaving.length === 0) return [];
  const contents: Content[] = await tx.query(
    `select message.id, message.message as text, message.created_at as "createdAt",
       message.conversation_id as "conversationId", conversation.contact_id as "contactId", contact_address.address as "to"
     from message
     left join conversation on conversation.id = message.conversation_id
     left join contact_address on contact_address.id = conversation.address_id
     where message.id in (${leaving.map((_, i) => `$${i + 1}`).join(", ")})`,
    leaving.map(([, { id }]) => id),
  );
  const byId = new Map(contents.map((content) => [content.id, content]));
  const lines = await tx
    .createQueryBuilder(Line, "line")
    .addSelect("line.credentials")
    .where({ id: In([...new Set(leaving.map(([, , { id }]) => id))]) })
    .getMany();
  const senders = new Map(lines.map((line) => [line.id, drivers.senderOf(line)]));
  return leaving.flatMap(([laneId, { id, attempts }, line]) => {
    const message = byId.get(id);
    const send = senders.get(line.id);
    if (message === undefined || send === undefined) return [];
    return [{ laneId, lineId: line.id, message, attempt: attempts + 1, send }];
  });
}
