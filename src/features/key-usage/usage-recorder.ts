import type { EntityManager } from "typeorm";
import { v7 as uuid } from "uuid";
import type { Origin } from "../../auth/caller";
import { Mutex } from "../../common/mutex";
import { type Timestamp, timestamp, timestampOf } from "../../common/time";
import type { Database } from "../../database/database";
import { placeholders } from "../../database/returning";
import { claimBatch } from "../../idempotency/idempotency";
import type { KeyUsageRecorder, KnownKey } from "../api-keys/key-usage-recorder";
import { recordRepeated } from "../audit/audit";
import { USAGE_ORDER } from "./hourly-use.entity";
import { keyUsageActions } from "./key-usage.audit";
import { UseCounts, writeCounts } from "./use-counts";

/** At most one write in this time for a key (ms). */
const MINUTE_MS = 60_000;
/** How soon after a use it is written at the earliest (ms). */
const DELAY_MS = 1_000;
/** At most one write of counts in this time (ms): a row for each key in use. */
const COUNTS_INTERVAL_MS = 5_000;

interface Use {
  atMs: number;
  ip: string | null;
}

/** Refused uses of one key in one minute. */
interface Refusal {
  /** Of its entry in the audit log. */
  id: string;
  key: KnownKey;
  origin: Origin;
  at: Timestamp;
  count: number;
}

/** What is written in one transaction, and once, however often that is tried. */
interface Batch {
  id: string;
  uses: [string, Use][];
  refusals: [string, Refusal][];
  counts: ReturnType<UseCounts["take"]>;
  /** How long the last write of a use must be past (ms), for another process may have made it. */
  restMs: number;
}

/**
 * Remembers when and how often keys were used and dead ones were refused, and writes it later, off the path of
 * the requests. A killed process loses at most the last minute of it.
 */
export class UsageRecorder implements KeyUsageRecorder {
  private readonly uses = new Map<string, Use>();
  private readonly writtenAt = new Map<string, number>();
  private readonly refusals = new Map<string, Refusal>();
  private readonly counts = new UseCounts();
  private readonly queue = new Mutex();
  private readonly id = uuid();
  /** What the last attempt could not write, or of which it is unknown whether it was kept. */
  private unwritten: Batch | undefined;
  private countsWrittenAt = 0;
  /** In a row, since a write last succeeded. */
  private failures = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param onError told of a failed write; what was to be written waits for the next one */
  constructor(
    private readonly database: Database,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** A key was accepted. */
  accepted(keyId: string, { ip }: Origin): void {
    this.counts.add(keyId, "accepted");
    const use = this.uses.get(keyId);
    if (use === undefined) {
      this.uses.set(keyId, { atMs: Date.now(), ip });
    } else {
      use.atMs = Date.now();
      use.ip = ip;
    }
    this.schedule();
  }

  /** A key that exists was refused. */
  refused(key: KnownKey, origin: Origin): void {
    this.counts.add(key.id, "refused");
    const at = timestamp();
    const minute = at.slice(0, "2026-11-21T00:00".length);
    const countedAs = `refused:${key.id}:${minute}`;
    const known = this.refusals.get(countedAs);
    if (known !== undefined) known.count += 1;
    // The id has the time of the entry, for the log is read by both.
    else this.refusals.set(countedAs, { id: uuid(), key, origin, at, count: 1 });
    this.schedule();
  }

  /**
   * Writes what is due; with `all`, also what was written so lately that it could wait. What an earlier call could not
   * write goes first, as it was then, so that a commit whose answer was lost is recognized and not counted twice.
   */
  flush({ all = false } = {}): Promise<void> {
    return this.queue.run(async () => {
      if (this.unwritten !== undefined) await this.write(this.unwritten);
      const batch = this.take(all);
      if (batch !== undefined) await this.write(batch);
    });
  }

  /** Writes everything and stops. */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    await this.flush({ all: true }).catch(this.onError);
  }

  private take(all: boolean): Batch | undefined {
    const now = Date.now();
    for (const [id, at] of this.writtenAt) if (now - at >= MINUTE_MS) this.writtenAt.delete(id);
    const uses = [...this.uses].filter(([id]) => all || !this.writtenAt.has(id));
    const refusals = [...this.refusals];
    const counts = all || now - this.countsWrittenAt >= COUNTS_INTERVAL_MS ? this.counts.take() : [];
    if (uses.length + refusals.length + counts.length === 0) return undefined;
    for (const [id] of uses) this.uses.delete(id);
    this.refusals.clear();
    return { id: uuid(), uses, refusals, counts, restMs: all ? 0 : MINUTE_MS };
  }

  private async write(batch: Batch): Promise<void> {
    const { id, uses, refusals, counts, restMs } = batch;
    this.unwritten = batch;
    try {
      await this.database.write(async (tx) => {
        await this.database.lockInsertOrder(tx, USAGE_ORDER);
        if (!(await claimBatch(tx, `keyUsage:${this.id}`, id))) return;
        await writeUses(tx, uses, restMs);
        for (const [countedAs, refusal] of refusals)
          await recordRepeated(tx, { ...refusal, countedAs, action: keyUsageActions.api_key_refused });
        await writeCounts(tx, counts);
      });
    } catch (error) {
      this.failures += 1;
      const waiting = onePerKey(this.refusals);
      this.refusals.clear();
      for (const [countedAs, refusal] of waiting) this.refusals.set(countedAs, refusal);
      throw error;
    }
    this.unwritten = undefined;
    this.failures = 0;
    const now = Date.now();
    if (counts.length > 0) this.countsWrittenAt = now;
    for (const [key] of uses) this.writtenAt.set(key, now);
  }

  private get isIdle(): boolean {
    return this.unwritten === undefined && this.uses.size + this.refusals.size === 0 && this.counts.isEmpty;
  }

  /** A database that takes no writes is asked less and less often, and so is the log. */
  private schedule(): void {
    const delayMs = Math.min(DELAY_MS * 2 ** this.failures, MINUTE_MS);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.flush()
        .catch(this.onError)
        .finally(() => {
          if (!this.isIdle) this.schedule();
        });
    }, delayMs).unref();
  }
}

/**
 * Counts all refusals of a key under the minute of the first, so that those that cannot be written for long are no more
 * than there are keys.
 */
function onePerKey(refusals: Iterable<[string, Refusal]>): [string, Refusal][] {
  const firsts = new Map<string, [string, Refusal]>();
  for (const [countedAs, refusal] of refusals) {
    const first = firsts.get(refusal.key.id);
    if (first === undefined) firsts.set(refusal.key.id, [countedAs, { ...refusal }]);
    else first[1].count += refusal.count;
  }
  return [...firsts.values()];
}

/** Keys of one statement: well below SQLite's 32,766 variables, four a key. */
const CHUNK = 1_000;

async function writeUses(tx: EntityManager, uses: readonly [string, Use][], restMs: number): Promise<void> {
  for (let done = 0; done < uses.length; done += CHUNK) {
    const chunk = uses.slice(done, done + CHUNK);
    await tx.query(
      `with use (key_id, at, ip, rested) as (values ${placeholders(chunk.length, 4)})
       update api_key set last_used_at = use.at, last_used_ip = use.ip from use
       where api_key.id = use.key_id
         and (last_used_at is null or (last_used_at < use.at and last_used_at <= use.rested))`,
      chunk.flatMap(([id, { atMs, ip }]) => [id, timestampOf(atMs), ip, timestamp(-restMs)]),
    );
  }
}
