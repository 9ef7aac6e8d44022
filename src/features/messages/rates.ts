import { In } from "typeorm";
import { type Timestamp, timestampOf } from "../../common/time";
import { allReturning, padded, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { LineTraffic } from "../lines/line-traffic.entity";
import type { GateLine, QueuedRow } from "./gates";
import { HeldReason } from "./message.enums";

/** How early a message may take its turn (ms), so that late wake-ups do not lower the rate. */
const TOLERANCE_MS = 1_000;

const NO_TRAFFIC = {
  ...{ rejections: 0, faultCode: null, faultDetail: null, faultSince: null },
  ...{ ratePerMinute: 0, nextAt: 0, queuedUntil: 0, urgentUntil: 0 },
};

/**
 * Enforces lines' rate limits exactly, across all processes: never exceeded in any minute. Messages are spaced
 * evenly (the generic cell rate algorithm, ITU-T I.371), and a new waiting message gets the last turn. An urgent
 * message takes the next turn; the message that had it moves to the end, as does a message that missed its turn.
 */
export class Rates {
  private constructor(
    private readonly traffic: ReadonlyMap<string, LineTraffic>,
    private readonly nowMs: number,
  ) {}

  /**
   * Reads and locks the traffic of lines that have a rate, without waiting, because a deliverer calls this once
   * per lane kind and thus locks lines in no fixed order.
   */
  static async of(tx: Tx, lines: readonly GateLine[]): Promise<Rates> {
    const rates = new Map(lines.map(({ id, ratePerMinute }) => [id, ratePerMinute]));
    const ids = [...rates].flatMap(([id, rate]) => (rate === null ? [] : [id]));
    if (ids.length === 0) return new Rates(new Map(), Date.now());
    const query = tx.createQueryBuilder(LineTraffic, "traffic").where({ lineId: In(ids) });
    const known = await tx.lock(query, { skipLocked: true }).getMany();
    const others = ids.filter((id) => known.every(({ lineId }) => lineId !== id));
    const all = [...known, ...(await addTraffic(tx, others))];
    // Read while holding the locks, so that no previous holder can have used a later time.
    const nowMs = Date.now();
    for (const traffic of all) {
      const ratePerMinute = rates.get(traffic.lineId) ?? 0;
      if (traffic.ratePerMinute !== ratePerMinute) changeRate(traffic, ratePerMinute, nowMs);
    }
    return new Rates(new Map(all.map((traffic) => [traffic.lineId, traffic])), nowMs);
  }

  /** True if a line has a rate, but another transaction has locked its traffic. */
  isLocked({ id, ratePerMinute }: GateLine): boolean {
    return ratePerMinute !== null && !this.traffic.has(id);
  }

  /**
   * Claims or assigns a message's turn under its line's rate limit.
   * @returns undefined if the message may be sent immediately, otherwise the time of its turn
   */
  take(
    { id }: GateLine,
    { heldReason, notBefore, isUrgent }: Pick<QueuedRow, "heldReason" | "notBefore" | "isUrgent">,
  ): Timestamp | undefined {
    const traffic = this.traffic.get(id);
    if (traffic === undefined) return undefined;
    const { nowMs } = this;
    const { nextAt, ratePerMinute } = traffic;
    // Urgent messages wait only for other urgent ones.
    const queue = isUrgent ? "urgentUntil" : "queuedUntil";
    const isEmpty = traffic.urgentUntil <= nowMs && traffic[queue] <= nowMs;
    const intervalMs = intervalOf(ratePerMinute);
    const turn = heldReason === HeldReason.rate && notBefore !== null ? Date.parse(notBefore) : undefined;
    const hasTurn = turn !== undefined && turn <= traffic[queue];
    if (hasTurn && turn > nowMs) return timestampOf(turn);
    // A new message must not overtake messages that are waiting for their turn.
    if ((hasTurn || isEmpty) && nowMs >= nextAt - TOLERANCE_MS) {
      traffic.nextAt = Math.max(nextAt, nowMs) + intervalMs;
      return undefined;
    }
    const next = Math.max(traffic[queue], nextAt, nowMs);
    traffic[queue] = next + intervalMs;
    return timestampOf(isUrgent ? Math.max(next - TOLERANCE_MS, nowMs) : next);
  }

  async store(tx: Tx): Promise<void> {
    for (const { lineId, ratePerMinute, nextAt, queuedUntil, urgentUntil } of this.traffic.values())
      await tx.update(LineTraffic, { lineId }, { ratePerMinute, nextAt, queuedUntil, urgentUntil });
  }
}

/** Returns the time between two messages (ms). */
const intervalOf = (ratePerMinute: number) => (60_000 + TOLERANCE_MS) / ratePerMinute;

/** Respaces a line's next message from its last one. Turns that were computed for the previous rate become invalid. */
function changeRate(traffic: LineTraffic, ratePerMinute: number, nowMs: number): void {
  const lastAt = traffic.ratePerMinute === 0 ? undefined : traffic.nextAt - intervalOf(traffic.ratePerMinute);
  Object.assign(traffic, {
    ratePerMinute,
    nextAt: lastAt === undefined ? traffic.nextAt : lastAt + intervalOf(ratePerMinute),
    queuedUntil: nowMs,
    urgentUntil: nowMs,
  });
}

/**
 * Inserts lines' missing traffic rows, except rows that another transaction is inserting.
 * @returns the inserted traffic
 */
async function addTraffic(tx: Tx, lineIds: readonly string[]): Promise<LineTraffic[]> {
  if (lineIds.length === 0) return [];
  const ids = padded(lineIds);
  // A plain insert would wait for a transaction that is inserting or changing the same row.
  const rows = await allReturning<Pick<LineTraffic, "lineId">>(
    tx,
    `insert into line_traffic (line_id, rejections, rate_per_minute, next_at, queued_until)
     select id, 0, 0, 0, 0 from line
     where id in ${placeholders(1, ids.length)} and not exists (select 1 from line_traffic where line_id = line.id)
       and ${tx.textLock("id", "tryExclusive") ?? "true"}
     on conflict do nothing
     returning line_id as "lineId"`,
    ids,
  );
  return rows.map(({ lineId }) => ({ ...NO_TRAFFIC, lineId }));
}
