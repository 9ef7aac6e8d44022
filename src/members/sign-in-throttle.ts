import { createHash } from "node:crypto";
import type { EntityManager } from "typeorm";
import type { Database } from "../database/database";
import { GatewayError } from "../errors";
import { type Timestamp, timestamp } from "../validation/timestamp";
import { SignInThrottle } from "./sign-in-throttle.entity";

const WINDOW_MS = 15 * 60 * 1000;
const MOST_PER_ACCOUNT = 10;
/** More than for an account, for an office may share an address. */
const MOST_PER_ADDRESS = 50;

/**
 * Counts an attempt to sign in before its password is looked at, so that concurrent attempts cannot slip by.
 * It counts what was typed, known account or not, so it tells nothing of which accounts there are.
 * @throws GatewayError `too_many_attempts`, with `Retry-After`
 */
export async function countSignInAttempt(
  database: Database,
  email: string,
  ip: string | null,
): Promise<void> {
  const refusedUntil = await database.write(async (tx) => {
    const account = await count(tx, accountBucket(email), MOST_PER_ACCOUNT);
    const address = ip === null ? undefined : await count(tx, hash(`address:${ip}`), MOST_PER_ADDRESS);
    return account ?? address;
  });
  if (refusedUntil === undefined) return;
  const seconds = Math.max(1, Math.ceil((Date.parse(refusedUntil) - Date.now()) / 1000));
  throw new GatewayError("too_many_attempts", undefined, { headers: { "retry-after": String(seconds) } });
}

/** A right password clears the account's count; the address keeps its own. */
export async function forgetSignInAttempts(tx: EntityManager, email: string): Promise<void> {
  await tx.delete(SignInThrottle, { bucket: accountBucket(email) });
}

/** Writes the account's count as it is: a transaction with this in it takes as long as one that changes something. */
export async function touchSignInAttempts(tx: EntityManager, email: string): Promise<void> {
  const bucket = accountBucket(email);
  await tx.update(SignInThrottle, { bucket }, { bucket });
}

/** @returns until when the bucket refuses, or undefined when the attempt may go on */
async function count(tx: EntityManager, bucket: string, most: number): Promise<Timestamp | undefined> {
  // Lower case, for TypeORM's SQLite driver drops the rows that a statement beginning with "INSERT " returns.
  const [row] = await tx.query(
    `insert into sign_in_throttle (bucket, attempts, window_ends_at) values ($1, 1, $2)
     on conflict (bucket) do update set
       attempts = case when sign_in_throttle.window_ends_at <= $3 then 1 else sign_in_throttle.attempts + 1 end,
       window_ends_at = case when sign_in_throttle.window_ends_at <= $3 then excluded.window_ends_at
                        else sign_in_throttle.window_ends_at end
     returning attempts, window_ends_at as "windowEndsAt"`,
    [bucket, timestamp(WINDOW_MS), timestamp()],
  );
  return row.attempts > most ? row.windowEndsAt : undefined;
}

const accountBucket = (email: string) => hash(`account:${email}`);
const hash = (text: string) => createHash("sha256").update(text).digest("hex");
