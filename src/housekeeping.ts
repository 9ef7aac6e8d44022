import { LessThan } from "typeorm";
import type { Database } from "./database/database";
import { IDEMPOTENCY_LIFETIME_MS } from "./idempotency/idempotency";
import { IdempotencyRecord } from "./idempotency/idempotency-record.entity";
import { Session } from "./members/session.entity";
import { SignInThrottle } from "./members/sign-in-throttle.entity";
import { HourlyUse, USE_LIFETIME_MS } from "./usage/hourly-use.entity";
import { timestamp } from "./validation/timestamp";

const HOUR_MS = 60 * 60 * 1000;

/** Deletes what has outlived its time; nothing depends on when. */
export function purge(database: Database): Promise<void> {
  return database.write(
    async (tx) => {
      await tx.delete(IdempotencyRecord, { createdAt: LessThan(timestamp(-IDEMPOTENCY_LIFETIME_MS)) });
      await tx.delete(Session, { expiresAt: LessThan(timestamp()) });
      await tx.delete(HourlyUse, { hour: LessThan(timestamp(-USE_LIFETIME_MS)) });
      await tx.delete(SignInThrottle, { windowEndsAt: LessThan(timestamp()) });
    },
    { patient: true },
  );
}

/** Purges every hour. @param onError told of a failure; the next hour tries again. @returns what stops it */
export function startHousekeeping(database: Database, onError: (error: unknown) => void): () => void {
  const timer = setInterval(() => void purge(database).catch(onError), HOUR_MS).unref();
  return () => clearInterval(timer);
}
