import { setTimeout as pause } from "node:timers/promises";
import type { EntityTarget, ObjectLiteral } from "typeorm";
import { AuditEntry } from "./audit/audit-entry.entity";
import type { Database } from "./database/database";
import { IDEMPOTENCY_LIFETIME_MS } from "./idempotency/idempotency";
import { IdempotencyRecord } from "./idempotency/idempotency-record.entity";
import { Session } from "./members/session.entity";
import { SignInThrottle } from "./members/sign-in-throttle.entity";
import { HourlyUse, USE_LIFETIME_MS } from "./usage/hourly-use.entity";
import { timestamp } from "./validation/timestamp";
import { leastUuidAt } from "./validation/uuid";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** How long a chunk of rows should take (ms): others that write wait for it. */
const CHUNK_MS = 25;
const FIRST_CHUNK = 200;
const MAX_CHUNK = 5_000;
/** Least rest between two chunks (ms): another process that waits for SQLite's write lock asks for it this often. */
const REST_MS = 100;

export interface Retention {
  /** How long entries of the audit log are kept (days); 0 keeps them for ever. */
  auditRetentionDays: number;
}

interface PurgeOptions extends Partial<Retention> {
  /** Ends it after the chunk that is being deleted. */
  signal?: AbortSignal;
}

/** Rows of a table whose text in a column sorts before another: they have outlived their time. */
interface Expired {
  entity: EntityTarget<ObjectLiteral>;
  column: string;
  before: string;
}

/** Deletes what has outlived its time, chunk by chunk; nothing depends on when, or on how far it comes. */
export async function purge(
  database: Database,
  { auditRetentionDays = 0, signal }: PurgeOptions = {},
): Promise<void> {
  const expired: Expired[] = [
    { entity: IdempotencyRecord, column: "created_at", before: timestamp(-IDEMPOTENCY_LIFETIME_MS) },
    { entity: Session, column: "expires_at", before: timestamp() },
    { entity: HourlyUse, column: "hour", before: timestamp(-USE_LIFETIME_MS) },
    { entity: SignInThrottle, column: "window_ends_at", before: timestamp() },
  ];
  if (auditRetentionDays > 0) {
    const before = leastUuidAt(Date.now() - auditRetentionDays * DAY_MS);
    expired.push({ entity: AuditEntry, column: "id", before });
  }
  for (const each of expired) await purgeTable(database, each, signal);
}

/** Deletes as many rows at a time as fit into a short transaction, and rests at least as long as that took. */
async function purgeTable(
  database: Database,
  { entity, ...rows }: Expired,
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
