import { setTimeout as pause } from "node:timers/promises";
import { HOUR_MS, timestamp } from "./common/time";
import type { Retention } from "./config";
import { type Chunk, inChunks } from "./database/chunks";
import type { Database } from "./database/database";
import { expiredRows } from "./features";
import { IDEMPOTENCY_LIFETIME_MS } from "./idempotency/idempotency";
import { IdempotencyRecord } from "./idempotency/idempotency-record.entity";
import { whileLeased } from "./idempotency/lease";
import type { Chore, ExpiredRows } from "./schema/feature";

/** Deletes expired rows in chunks; nothing relies on the deletion, so the signal may stop it after any chunk. */
export async function purge(
  database: Database,
  retention: Retention = {},
  signal?: AbortSignal,
): Promise<void> {
  const expired: ExpiredRows[] = [
    { entity: IdempotencyRecord, column: "created_at", before: timestamp(-IDEMPOTENCY_LIFETIME_MS) },
    ...expiredRows(retention),
  ];
  for (const { entity, column, before, keep } of expired) {
    const keepSome: Chunk<true> | undefined =
      keep && (async (tx, _, limit) => ((await keep(tx, limit)) < limit ? undefined : true));
    if (keepSome !== undefined && !(await inChunks(database, keepSome, { signal }))) return;
    const deleteSome: Chunk<string> = (tx, after, limit) =>
      database.deleteBefore(tx, entity, { column, after, before, limit });
    await inChunks(database, deleteSome, { signal });
  }
}

/**
 * Purges expired rows and runs the chores immediately, then again an hour after each run. Processes that share a
 * database take turns, so that their deletions do not add up. A failed part is retried by the next run.
 * @returns a function that stops housekeeping and resolves when the current run has ended
 */
export function startHousekeeping(
  database: Database,
  retention: Retention,
  onError: (error: unknown) => void,
  chores: readonly Chore[] = [],
): () => Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const all: readonly Chore[] = [(held) => purge(database, retention, held), ...chores];
  const doAll: Chore = async (held) => {
    for (const chore of all) if (!held.aborted) await chore(held).catch(onError);
  };
  const run = async () => {
    while (!signal.aborted) {
      await whileLeased(database, "housekeeping", doAll, signal).catch(onError);
      await pause(HOUR_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  const done = run();
  return () => {
    stop.abort();
    return done;
  };
}
