import { In } from "typeorm";
import { type Timestamp, timestampOf } from "../../common/time";
import { insertAll } from "../../database/insert-all";
import type { Tx } from "../../database/unit-of-work";
import { LineTraffic } from "../lines/line-traffic.entity";
import type { GateLine, QueuedRow } from "./gates";
import { HeldReason } from "./message.enums";

/** How far ahead of its evenly spaced turn a message may be sent (ms), so that late wake-ups do not lower the rate. */
const TOLERANCE_MS = 1_000;

const NO_TRAFFIC = { rejections: 0, ratePerMinute: 0, nextAt: 0, queuedUntil: 0, urgentUntil: 0 };

/**
 * The rates of lines, exact across all processes. A line never exceeds its rate in any minute. Messages are spaced
 * evenly (the generic cell rate algorithm, as in ITU-T I.371), and each new waiting message gets the last turn. An
 * urgent message takes the next turn, and the message that had it moves to the end.
 */
export class Rates {
  private constructor(
    private readonly traffic: ReadonlyMap<string, LineTraffic>,
    private readonly nowMs: number,
  ) {}

  /** Reads and locks the traffic of lines that have a rate, until the transaction ends. */
  static async of(tx: Tx, lines: readonly GateLine[]): Promise<Rates> {
    const rates = new Map(lines.map(({ id, ratePerMinute }) => [id, ratePerMinute]));
    const ids = [...rates].flatMap(([id, rate]) => (rate === null ? [] : [id])).sort();
    if (ids.length === 0) return new Rates(new Map(), Date.now());
    const fresh = ids.map((lineId) => ({ ...NO_TRAFFIC, lineId }));
    await insertAll(tx, LineTraffic, fresh, { orIgnore: true });
    const query = tx
      .createQueryBuilder(LineTraffic, "traffic")
      .where({ lineId: In(ids) })
      .orderBy("traffic.line_id");
    const all = await tx.lock(query).getMany();
    // Taken after the locks, because waiting for another process takes time.
    const nowMs = Date.now();
    for (const traffic of all) {
      const ratePerMinute = rates.get(traffic.lineId) ?? 0;
      // Turns computed for a different rate are void.
      if (traffic.ratePerMinute !== ratePerMinute)
        Object.assign(traffic, { ratePerMinute, queuedUntil: nowMs, urgentUntil: nowMs });
    }
    return new Rates(new Map(all.map((traffic) => [traffic.lineId, traffic])), nowMs);
  }

  /**
   * Claims or assigns a message's turn under its line's rate limit.
   * @returns undefined if it may be sent now, otherwise the time of its turn
   */
  take(
    { id }: GateLine,
    { heldReason, notBefore, isUrgent }: Pick<QueuedRow, "heldReason" | "notBefore" | "isUrgent">,
  ): Timestamp | undefined {
    const traffic = this.traffic.get(id);
    if (traffic === undefined) return undefined;
    const { nowMs } = this;
    const { nextAt, ratePerMinute } = traffic;
    // Urgent messages come first because they wait only for each other.
    const queue = isUrgent ? "urgentUntil" : "queuedUntil";
    const isEmpty = traffic.urgentUntil <= nowMs && traffic[queue] <= nowMs;
    const intervalMs = (60_000 + TOLERANCE_MS) / ratePerMinute;
    const turn = heldReason === HeldReason.rate && notBefore !== null ? Date.parse(notBefore) : undefined;
    const hasTurn = turn !== undefined && turn <= traffic[queue];
    if (hasTurn && turn > nowMs) return timestampOf(turn);
    // Messages waiting for their turn come first.
    if ((hasTurn || isEmpty) && nowMs >= nextAt - TOLERANCE_MS) {
      traffic.nextAt = Math.max(nextAt, nowMs) + intervalMs;
      return undefined;
    }
    const next = Math.max(traffic[queue], nextAt, nowMs);
    traffic[queue] = next + intervalMs;
    return timestampOf(isUrgent ? Math.max(next - TOLERANCE_MS, nowMs) : next);
  }

  /** Stores the turns taken. */
  async store(tx: Tx): Promise<void> {
    for (const { lineId, ratePerMinute, nextAt, queuedUntil, urgentUntil } of this.traffic.values())
      await tx.update(LineTraffic, { lineId }, { ratePerMinute, nextAt, queuedUntil, urgentUntil });
  }
}
