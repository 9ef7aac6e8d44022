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

/** Min time between two writes for a key (ms). */
const KEY_INTERVAL_MS = 60_000;
/** Delay from a use to its write (ms). */
const WRITE_DELAY_MS = 1_000;
/** Min time between two writes of counts (ms), each a row per key in use. */
const COUNTS_INTERVAL_MS = 5_000;

interface Use {
  atMs: number;
  ip: string | null;
}

/** Refused uses of one key in one minute. */
interface Refusal {
  /** ID of the audit entry. */
  id: string;
  key: KnownKey;
  origin: Origin;
  at: Timestamp;
  count: number;
}

/** Records written in one transaction; a retry never counts them twice. */
interface Batch {
  id: string;
  uses: [string, Use][];
  refusals: [string, Refusal][];
  counts: ReturnType<UseCounts["take"]>;
  /** Min age of a key's stored last use (ms); another process may have just written it. */
  restMs: number;
}

/**
 * Collects accepted and refused uses of keys in memory and writes them later, outside the request path. A killed process
 * loses at most the last minute.
 */
export class UsageRecorder implements KeyUsageRecorder {
  private readonly uses = new Map<string, Use>();
  private readonly writtenAt = new Map<string, number>();
  private readonly refusals = new Map<string, Refusal>();
  private readonly counts = new UseCounts();
  private readonly queue = new Mutex();
  private readonly id = uuid();
  /** The batch whose write failed or has an unknown outcome. */
  private unwritten: Batch | undefined;
  private countsWrittenAt = 0;
  /** Failed writes since the last success. */
  private failures = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param onError called after a failed write, which is then retried */
  constructor(
    private readonly database: Database,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Records an accepted use. */
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

  /** Records a refused use of an existing key. */
  refused(key: KnownKey, origin: Origin): void {
    this.counts.add(key.id, "refused");
    const at = timestamp();
    const minute = at.slice(0, "2026-11-21T00:00".length);
    const countedAs = `refused:${key.id}:${minute}`;
    const known = this.refusals.get(countedAs);
    if (known !== undefined) known.count += 1;
    // Generated now, because the audit log is filtered by ID and time alike.
    else this.refusals.set(countedAs, { id: uuid(), key, origin, at, count: 1 });
    this.schedule();
  }

  /**
   * Writes the records that are due. A batch that failed before is retried first and unchanged, so that a commit whose
   * acknowledgment was lost is recognized and not counted twice.
   * @param options.all whether to write all records, even if their key was just written
   */
  flush({ all = false } = {}): Promise<void> {
    return this.queue.runExclusive(async () => {
      if (this.unwritten !== undefined) await this.write(this.unwritten);
      const batch = this.take(all);
      if (batch !== undefined) await this.write(batch);
    });
  }

  /** Writes all records and stops the timer. */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    await this.flush({ all: true }).catch(this.onError);
  }

  private take(all: boolean): Batch | undefined {
    const now = Date.now();
    for (const [id, at] of this.writtenAt) if (now - at >= KEY_INTERVAL_MS) this.writtenAt.delete(id);
    const uses = [...this.uses].filter(([id]) => all || !this.writtenAt.has(id));
    const refusals = [...this.refusals];
    const counts = all || now - this.countsWrittenAt >= COUNTS_INTERVAL_MS ? this.counts.take() : [];
    if (uses.length + refusals.length + counts.length === 0) return undefined;
    for (const [id] of uses) this.uses.delete(id);
    this.refusals.clear();
    return { id: uuid(), uses, refusals, counts, restMs: all ? 0 : KEY_INTERVAL_MS };
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

  /** Schedules the next flush, with exponential backoff after failures. */
  private schedule(): void {
    const delayMs = Math.min(WRITE_DELAY_MS * 2 ** this.failures, KEY_INTERVAL_MS);
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
 * Merges all refusals of a key into the minute of the first, so that a long outage keeps at most one record per key in
 * memory.
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

/** Keys per statement, with four variables each: well below SQLite's limit of 32,766. */
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
