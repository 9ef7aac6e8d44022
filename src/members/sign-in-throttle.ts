import { isIPv6 } from "node:net";
import { type EntityManager, In } from "typeorm";
import type { Database } from "../database/database";
import { returning } from "../database/returning";
import { GatewayError } from "../errors";
import { sha256 } from "../validation/sha256";
import { type Timestamp, timestamp } from "../validation/timestamp";
import { SignInThrottle } from "./sign-in-throttle.entity";

const WINDOW_MS = 15 * 60 * 1000;
/** For one account from one address: a stranger elsewhere cannot lock the owner out with a few wrong passwords. */
const MOST_PER_PAIR = 10;
/** For one account from everywhere. */
const MOST_PER_ACCOUNT = 100;
/** From one address for all accounts; an office may share one. */
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
    const refusals = [
      await count(tx, pairBucket(email, ip), MOST_PER_PAIR),
      await count(tx, accountBucket(email), MOST_PER_ACCOUNT),
      await count(tx, addressBucket(ip), MOST_PER_ADDRESS),
    ];
    return refusals.find((until) => until !== undefined);
  });
  if (refusedUntil === undefined) return;
  const seconds = Math.max(1, Math.ceil((Date.parse(refusedUntil) - Date.now()) / 1000));
  throw new GatewayError("too_many_attempts", undefined, { headers: { "retry-after": String(seconds) } });
}

/** A right password clears what was counted for its account, and takes itself off the count of the address. */
export async function forgetSignInAttempts(
  tx: EntityManager,
  email: string,
  ip: string | null,
): Promise<void> {
  await tx.delete(SignInThrottle, { bucket: In([accountBucket(email), pairBucket(email, ip)]) });
  await tx.decrement(SignInThrottle, { bucket: addressBucket(ip) }, "attempts", 1);
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

/** An address, or the 64 bits of an IPv6 network: one who has an address in it has the 2^64 others too. */
function networkOf(ip: string | null): string {
  if (ip === null || !isIPv6(ip)) return String(ip);
  const [head = "", tail = ""] = ip.split("::");
  const left = head.split(":");
  const right = tail.split(":");
  const zeros = ip.includes("::") ? Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0") : [];
  const network = [...left, ...zeros, ...right].slice(0, 4).map((group) => Number.parseInt(group || "0", 16));
  return network.join(":");
}

const accountBucket = (email: string) => sha256(`account:${email}`);
