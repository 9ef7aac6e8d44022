import { type EntityManager, In, MoreThan } from "typeorm";
import type { Database } from "../database/database";
import { returning } from "../database/returning";
import { GatewayError } from "../errors";
import { networkOf } from "../limits/network";
import { sha256 } from "../validation/sha256";
import { type Timestamp, timestamp } from "../validation/timestamp";
import { SignInThrottle } from "./sign-in-throttle.entity";

const WINDOW_MS = 15 * 60 * 1000;
/** How long an address is known from which somebody signed in. */
const KNOWN_MS = 30 * 24 * 60 * 60 * 1000;
/** For one account from one address: a stranger elsewhere cannot lock the owner out with a few wrong passwords. */
const MOST_PER_PAIR = 10;
/** For one account from everywhere. */
const MOST_PER_ACCOUNT = 100;
/** From one address for all accounts; an office may share one. */
const MOST_PER_ADDRESS = 50;

/**
 * Counts an attempt to sign in before its password is looked at, so that concurrent attempts cannot slip by.
 * It counts what was typed, known account or not, so it tells nothing of which accounts there are. An account from an
 * address where its owner signed in lately is limited by its own attempts alone: strangers cannot lock the owner out.
 * @throws GatewayError `too_many_attempts`, with `Retry-After`
 */
export async function countSignInAttempt(
  database: Database,
  email: string,
  ip: string | null,
): Promise<void> {
  const refusedUntil = await database.write(async (tx) => {
    const known = await tx.existsBy(SignInThrottle, {
      bucket: knownBucket(email, ip),
      windowEndsAt: MoreThan(timestamp()),
    });
    const own = await count(tx, pairBucket(email, ip), MOST_PER_PAIR);
    const shared = [
      await count(tx, accountBucket(email), MOST_PER_ACCOUNT),
      await count(tx, addressBucket(ip), MOST_PER_ADDRESS),
    ];
    return own ?? (known ? undefined : shared.find((until) => until !== undefined));
  });
  if (refusedUntil === undefined) return;
  const seconds = Math.max(1, Math.ceil((Date.parse(refusedUntil) - Date.now()) / 1000));
  throw new GatewayError("too_many_attempts", undefined, { headers: { "retry-after": String(seconds) } });
}

/**
 * A right password clears what was counted for its account, takes itself off the count of the address, and makes the
 * address known for the account.
 */
export async function forgetSignInAttempts(
  tx: EntityManager,
  email: string,
  ip: string | null,
): Promise<void> {
  await tx.delete(SignInThrottle, { bucket: In([accountBucket(email), pairBucket(email, ip)]) });
  await tx.decrement(SignInThrottle, { bucket: addressBucket(ip) }, "attempts", 1);
  const known = { bucket: knownBucket(email, ip), attempts: 0, windowEndsAt: timestamp(KNOWN_MS) };
  await tx.upsert(SignInThrottle, known, ["bucket"]);
}

/** Writes the account's count as it is: a transaction with this in it takes as long as one that changes something. */
export async function touchSignInAttempts(tx: EntityManager, email: string): Promise<void> {
  const bucket = accountBucket(email);
  await tx.update(SignInThrottle, { bucket }, { bucket });
}

/** @returns until when the bucket refuses, or undefined when the attempt may go on */
async function count(tx: EntityManager, bucket: string, most: number): Promise<Timestamp | undefined> {
  const row = await returning<Pick<SignInThrottle, "attempts" | "windowEndsAt">>(
    tx,
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

const addressBucket = (ip: string | null) => sha256(`address:${networkOf(ip)}`);
const pairBucket = (email: string, ip: string | null) => sha256(`pair:${networkOf(ip)}:${email}`);

const knownBucket = (email: string, ip: string | null) => sha256(`known:${networkOf(ip)}:${email}`);
const accountBucket = (email: string) => sha256(`account:${email}`);
