import { setTimeout as pause } from "node:timers/promises";
import { HOUR_MS, timestamp } from "./common/time";
import type { Database } from "./database/database";
import { expiredRows } from "./features";
import { IDEMPOTENCY_LIFETIME_MS } from "./idempotency/idempotency";
import { IdempotencyRecord } from "./idempotency/idempotency-record.entity";
import type { ExpiredRows, Retention } from "./schema/feature";

/** Target duration of deleting a chunk of rows (ms), for which other writers wait. */
const CHUNK_MS = 25;
const FIRST_CHUNK = 200;
const MAX_CHUNK = 5_000;
/** Min pause between two chunks (ms): other processes poll SQLite's write lock this often. */
const MIN_PAUSE_MS = 100;

interface PurgeOptions extends Partial<Retention> {
  /** Stops the purge after the current chunk. */
  signal?: AbortSignal;
}

/** Deletes expired rows in chunks; correctness never depends on it, so it may stop at any time. */
export async function purge(
  database: Database,
  { auditRetentionDays = 0, signal }: PurgeOptions = {},
): Promise<void> {
  const expired: ExpiredRows[] = [
    { entity: IdempotencyRecord, column: "created_at", before: timestamp(-IDEMPOTENCY_LIFETIME_MS) },
    ...expiredRows({ auditRetentionDays }),
  ];
  for (const each of expired) await purgeTable(database, each, signal);
}

/** Deletes expired rows in short transactions and pauses between them at least as long as each took. */
async function purgeTable(
  database: Database,
  { entity, ...rows }: ExpiredRows,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let limit = FIRST_CHUNK; !signal?.aborted; ) {
    let took = 0;
    // Measure inside the transaction, because the wait for the write lock says nothing about the rows.
    const deleted = await database.write(async (tx) => {
      const began = performance.now();
      const count = await database.deleteBefore(tx, entity, { ...rows, limit });
      took = performance.now() - began;
      return count;
    });
    if (deleted < limit) return;
    // At most double the chunk, because later rows may take longer to delete.
    limit = Math.max(1, Math.min(Math.round((limit * CHUNK_MS) / took), 2 * limit, MAX_CHUNK));
    await pause(Math.max(took, MIN_PAUSE_MS), undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/**
 * Purges now and then again an hour after each run.
 * @param onError called when a run fails; the next run retries
 * @returns a function that stops housekeeping and resolves once the current run has ended
 */
export function startHousekeeping(
  database: Database,
  { auditRetentionDays }: Retention,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const run = async () => {
    while (!signal.aborted) {
      await purge(database, { auditRetentionDays, signal }).catch(onError);
      await pause(HOUR_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  const done = run();
  return () => {
    stop.abort();
    return done;
  };
}
