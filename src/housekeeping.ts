import { setTimeout as pause } from "node:timers/promises";
import { timestamp } from "./common/time";
import type { Database } from "./database/database";
import { expiredRows } from "./features";
import { IDEMPOTENCY_LIFETIME_MS } from "./idempotency/idempotency";
import { IdempotencyRecord } from "./idempotency/idempotency-record.entity";
import type { ExpiredRows, Retention } from "./schema/feature";

const HOUR_MS = 60 * 60 * 1000;

/** How long a chunk of rows should take (ms): others that write wait for it. */
const CHUNK_MS = 25;
const FIRST_CHUNK = 200;
const MAX_CHUNK = 5_000;
/** Least rest between two chunks (ms): another process that waits for SQLite's write lock asks for it this often. */
const REST_MS = 100;

interface PurgeOptions extends Partial<Retention> {
  /** Ends it after the chunk that is being deleted. */
  signal?: AbortSignal;
}

/** Deletes what has outlived its time, chunk by chunk; nothing depends on when, or on how far it comes. */
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

/** Deletes as many rows at a time as fit into a short transaction, and rests at least as long as that took. */
async function purgeTable(
  database: Database,
  { entity, ...rows }: ExpiredRows,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let limit = FIRST_CHUNK; !signal?.aborted; ) {
    let took = 0;
    // Without the time that the unit waits for its turn, which says nothing of the rows.
    const deleted = await database.write(async (tx) => {
      const began = performance.now();
      const count = await database.deleteBefore(tx, entity, { ...rows, limit });
      took = performance.now() - began;
      return count;
    });
    if (deleted < limit) return;
    // Never more than twice as many: the first rows may lie better than those to come.
    limit = Math.max(1, Math.min(Math.round((limit * CHUNK_MS) / took), 2 * limit, MAX_CHUNK));
    await pause(Math.max(took, REST_MS), undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/**
 * Purges now, and an hour after each time that it was done.
 * @param onError told of a failure; the next hour tries again
 * @returns what stops it, and settles once it leaves the database alone
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
