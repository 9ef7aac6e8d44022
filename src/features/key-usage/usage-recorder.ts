import { v7 as uuid } from "uuid";
import type { Origin } from "../../auth/caller";
import { Mutex } from "../../common/mutex";
import { type Timestamp, timestamp } from "../../common/time";
import type { Database } from "../../database/database";
import { claimBatch } from "../../idempotency/idempotency";
import type { KeyUsageRecorder, KnownKey } from "../api-keys/key-usage-recorder";
import { recordRepeated } from "../audit/audit";
import type { AuditAction } from "../audit/audit-actions";
import { DeprecatedUses } from "./deprecated-uses";
import { keyUsageActions } from "./key-usage.audit";
import { OperationUses } from "./operation-uses";
import { sortedById, type WriteBatch } from "./period-counts";
import { UseCounts } from "./use-counts";

/** Delay between a key's use and the write that records it (ms). */
const WRITE_DELAY_MS = 1_000;
/** Max delay of a retry (ms). */
const MAX_RETRY_DELAY_MS = 60_000;
/** Min time between two writes of counts (ms); each write has one row per key in use. */
const COUNTS_INTERVAL_MS = 5_000;

/** One key's rejected uses in one minute, all rejected for the same reason. */
interface Rejection {
  /** ID of the audit entry. */
  id: string;
  action: AuditAction;
  key: KnownKey;
  origin: Origin;
  at: Timestamp;
  count: number;
}

/** Records written in one transaction; a retry never counts them twice. */
interface Batch {
  id: string;
  writeCounts: WriteBatch | undefined;
  rejections: [string, Rejection][];
}

/**
 * Collects accepted and rejected key uses, and uses of operations and deprecated parts, in memory, and writes them
 * outside the request path. If the process is killed, only the records of the last few seconds are lost or, during a
 * database outage, the records since the outage began.
 */
export class UsageRecorder implements KeyUsageRecorder {
  private readonly rejections = new Map<string, Rejection>();
  private readonly uses = new UseCounts();
  private readonly deprecatedUses = new DeprecatedUses();
  private readonly operationUses = new OperationUses();
  private readonly counts = [this.uses, this.deprecatedUses, this.operationUses];
  private readonly queue = new Mutex();
  private readonly id = uuid();
  /** Batches to write, in order; the first one may have failed, or its outcome may be unknown. */
  private readonly batches: Batch[] = [];
  /** In `performance.now` time, because the wall clock may be set back. */
  private countsWrittenAt = Number.NEGATIVE_INFINITY;
  /** Number of failed writes since the last successful write. */
  private failures = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param onError called after a failed write, before it is retried */
  constructor(
    private readonly database: Database,
    private readonly onError: (error: unknown) => void,
  ) {}

  accepted(keyId: string, { ip }: Origin): void {
    this.uses.addAccepted(keyId, ip);
    this.schedule();
  }

  deprecated(keyId: string, names: readonly string[]): void {
    for (const name of names) this.deprecatedUses.add(keyId, name);
    this.schedule();
  }

  /** Records the outcome of a request whose key was accepted. */
  ended(keyId: string, operation: string, { ip }: Pick<Origin, "ip">, outcome: string): void {
    this.operationUses.add(keyId, operation, ip ?? "", outcome);
    this.schedule();
  }

  rejected(key: KnownKey, origin: Origin, { isElsewhere = false } = {}): void {
    this.uses.addRejected(key.id);
    const at = timestamp();
    const minute = at.slice(0, "2026-11-21T00:00".length);
    const action = isElsewhere ? keyUsageActions.api_key_address_refused : keyUsageActions.api_key_refused;
    const countedAs = `${isElsewhere ? "elsewhere" : "refused"}:${key.id}:${minute}`;
    const known = this.rejections.get(countedAs);
    if (known !== undefined) known.count += 1;
    // Generates the ID immediately, so that its time matches `at`, because the audit log filters by both.
    else this.rejections.set(countedAs, { id: uuid(), action, key, origin, at, count: 1 });
    this.schedule();
  }

  /**
   * Writes the records that are due. Retries a failed batch first and unchanged, so that a commit whose acknowledgment
   * was lost is recognized and not counted twice.
   * @param options.all true to write all records, even if counts were just written
   */
  flush({ all = false } = {}): Promise<void> {
    return this.queue.runExclusive(async () => {
      await this.writeAll();
      this.batches.push(...this.take(all));
      await this.writeAll();
    });
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    await this.flush({ all: true }).catch(this.onError);
  }

  private take(all: boolean): Batch[] {
    const areCountsDue = all || performance.now() - this.countsWrittenAt >= COUNTS_INTERVAL_MS;
    const [first, ...rest] = areCountsDue ? this.counts.flatMap((counts) => counts.take()) : [];
    const rejections = sortedById(this.rejections);
    this.rejections.clear();
    if (first === undefined && rejections.length === 0) return [];
    return [
      { id: uuid(), writeCounts: first, rejections },
      ...rest.map((writeCounts) => ({ id: uuid(), writeCounts, rejections: [] })),
    ];
  }

  private async writeAll(): Promise<void> {
    for (let batch = this.batches[0]; batch !== undefined; batch = this.batches[0]) {
      await this.write(batch);
      this.batches.shift();
    }
  }

  private async write({ id, writeCounts, rejections }: Batch): Promise<void> {
    try {
      await this.database.write(async (tx) => {
        if (!(await claimBatch(tx, `keyUsage:${this.id}`, id))) return;
        for (const [countedAs, rejection] of rejections)
          await recordRepeated(tx, { ...rejection, countedAs });
        await writeCounts?.(tx);
      });
    } catch (error) {
      this.failures += 1;
      const waiting = onePerKey(this.rejections);
      this.rejections.clear();
      for (const [countedAs, rejection] of waiting) this.rejections.set(countedAs, rejection);
      throw error;
    }
    this.failures = 0;
    if (writeCounts !== undefined) this.countsWrittenAt = performance.now();
  }

  private get isIdle(): boolean {
    return this.batches.length + this.rejections.size === 0 && this.counts.every(({ isEmpty }) => isEmpty);
  }

  /** Schedules the next flush, with exponential backoff after failures. */
  private schedule(): void {
    const delayMs = Math.min(WRITE_DELAY_MS * 2 ** this.failures, MAX_RETRY_DELAY_MS);
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

/** Merges a key's rejections into one record per reason, so that an outage leaves at most two records per key. */
function onePerKey(rejections: Iterable<[string, Rejection]>): [string, Rejection][] {
  const firsts = new Map<string, [string, Rejection]>();
  for (const [countedAs, rejection] of rejections) {
    const reason = `${rejection.action} ${rejection.key.id}`;
    const first = firsts.get(reason);
    if (first === undefined) firsts.set(reason, [countedAs, { ...rejection }]);
    else first[1].count += rejection.count;
  }
  return [...firsts.values()];
}
