import { coalesce } from "../../common/coalesce";
import { getOrCreate } from "../../common/get-or-create";
import { networkOf, siteOf } from "../../common/network";
import { DAY_MS, type Timestamp, timestamp } from "../../common/time";
import { sha256 } from "../../credentials/sha256";
import type { Database } from "../../database/database";
import type { Lookup } from "../../database/engine";
import { returning } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import type { GatewayError } from "../../errors";
import { retryAfterError } from "../../rate-limits/retry-after";
import { SignInThrottle } from "./sign-in-throttle.entity";

const WINDOW_MS = 15 * 60 * 1000;
/** Time for which an address remains known after a sign-in (ms). */
const KNOWN_MS = 30 * DAY_MS;
/** Max attempts per account across all addresses. */
const MAX_PER_ACCOUNT = 100;
/** Max attempts per account and address, so that a stranger's wrong passwords cannot lock out the owner. */
const MAX_PER_PAIR = 10;
/** Max attempts per address across all accounts; an office may share an address. */
const MAX_PER_ADDRESS = 50;
/** Max attempts per IPv6 site (/48); each of its 65,536 networks counts as an address. */
const MAX_PER_SITE = 200;

/** The columns that determine whether a bucket is full. */
type Count = Pick<SignInThrottle, "bucket" | "attempts" | "windowEndsAt">;

type Counts = ReadonlyMap<string, Count>;

const BY_BUCKET: Lookup<Count> = {
  columns: ["bucket", "attempts", "window_ends_at"],
  row: ([bucket, attempts, windowEndsAt]: [string, number, Timestamp]) => ({
    bucket,
    attempts,
    windowEndsAt,
  }),
  from: "sign_in_throttle",
  by: "bucket",
};

interface Limit {
  bucket: string;
  max: number;
}

/** How an account's lock affects a counted attempt. */
export interface AccountLock {
  /** The response to a wrong password; a different response would reveal that the account exists. */
  rejection: GatewayError;
  /** True if the correct password still works, because the account recently signed in from this address. */
  opensByPassword: boolean;
}

const lookups = new WeakMap<Database, (buckets: readonly string[]) => Promise<Counts>>();

/**
 * Returns a function that finds buckets' counts, except for buckets whose window has ended. It handles attempts one at
 * a time, because rejecting many in one event-loop tick would delay other requests.
 */
export const countLookup = (database: Database) =>
  getOrCreate(lookups, database, () =>
    coalesce((attempts: readonly (readonly string[])[]) => Promise.all(attempts.map(countsIn(database))), {
      name: "sign-in counts",
      maxBatchSize: 1,
    }),
  );

/**
 * Counts a sign-in attempt before its password is verified, so that concurrent attempts cannot exceed a limit. Unknown
 * e-mail addresses count like accounts. A rejected attempt is not counted and writes nothing. A locked account still
 * accepts attempts from known addresses. If any account recently signed in from the address, attempts on a locked
 * account are still counted and their passwords verified, so that the response time does not reveal which accounts
 * signed in from it.
 * @returns the lock of a locked account if any account recently signed in from the address; otherwise undefined
 * @throws GatewayError `too_many_attempts`, with `Retry-After`
 */
export async function countSignInAttempt(
  database: Database,
  email: string,
  ip: string | null,
): Promise<AccountLock | undefined> {
  const { account, own, known, home } = limitsOf(email, ip);
  const all = [account, ...own];
  // Reads the counts before the transaction, so that a flood of rejected attempts does not wait for the write lock.
  const found = await countLookup(database)([...all.map(({ bucket }) => bucket), known, home]);
  rejectAny(own, found);
  if (!found.has(home)) rejectAny([account], found);
  return database.write(async (tx) => {
    const counted = new Map<string, Count>();
    // All transactions lock buckets in this order to avoid deadlocks.
    for (const { bucket } of all) counted.set(bucket, await increment(tx, bucket));
    // If this throws, the transaction is rolled back, so that the rejected attempt is not counted.
    rejectAny(own, counted, 0);
    const rejection = rejectionBy(account, counted, 0);
    if (rejection === undefined) return undefined;
    if (!found.has(home)) throw rejection;
    return { rejection, opensByPassword: found.has(known) };
  });
}

/**
 * Counts an attempt that involves no account, such as accepting an invitation, for its address only.
 * `recordSignIn` refunds it.
 * @throws GatewayError `too_many_attempts`, with `Retry-After`
 */
export async function countAddressAttempt(database: Database, ip: string | null): Promise<void> {
  const [, ...shared] = limitsOf("", ip).own;
  rejectAny(shared, await countLookup(database)(shared.map(({ bucket }) => bucket)));
  await database.write(async (tx) => {
    const counted = new Map<string, Count>();
    for (const { bucket } of shared) counted.set(bucket, await increment(tx, bucket));
    rejectAny(shared, counted, 0);
  });
}

/** Records a sign-in: clears the account's counts, refunds the address's attempt and marks the address as known. */
export async function recordSignIn(tx: Tx, email: string, ip: string | null): Promise<void> {
  const { account, own, known, home } = limitsOf(email, ip);
  const [pair, ...shared] = own;
  await tx.delete(SignInThrottle, { bucket: account.bucket });
  await tx.delete(SignInThrottle, { bucket: pair.bucket });
  for (const { bucket } of shared) await decrement(tx, bucket);
  for (const bucket of [known, home]) {
    await tx.upsert(SignInThrottle, { bucket, attempts: 0, windowEndsAt: timestamp(KNOWN_MS) }, ["bucket"]);
  }
}

/** Removes one attempt from each count of the account and the address. */
export async function refundAttempt(tx: Tx, email: string, ip: string | null): Promise<void> {
  const { account, own } = limitsOf(email, ip);
  for (const { bucket } of [account, ...own]) await decrement(tx, bucket);
}

/** Unlocks an account for all addresses and forgets its known addresses. */
export async function unlockAccount(tx: Tx, email: string): Promise<void> {
  const prefix = accountPrefix(email);
  // Every transaction locks this row first, so the account's other rows can be deleted in any order without deadlocks.
  await increment(tx, bucketOf(email, "account"));
  await tx
    .createQueryBuilder()
    .delete()
    .from(SignInThrottle)
    // "g" sorts after the hexadecimal digits in every collation.
    .where("bucket >= :prefix AND bucket < :end", { prefix, end: `${prefix}g` })
    .execute();
}

/** Writes the account's count unchanged, so that a rejection runs a write transaction even for an unknown account. */
export async function touchSignInAttempts(tx: Tx, email: string): Promise<void> {
  const bucket = bucketOf(email, "account");
  await tx.update(SignInThrottle, { bucket }, { bucket });
}

const countsIn =
  (database: Database) =>
  async (buckets: readonly string[]): Promise<Counts> => {
    const rows = await database.lookup(BY_BUCKET, buckets);
    const now = timestamp();
    return new Map(rows.filter((row) => row.windowEndsAt > now).map((row) => [row.bucket, row]));
  };

/** @param next number of attempts that `counts` does not include yet */
function rejectionBy({ bucket, max }: Limit, counts: Counts, next: number): GatewayError | undefined {
  const row = counts.get(bucket);
  if (row === undefined || row.attempts + next <= max) return undefined;
  return retryAfterError("too_many_attempts", Date.parse(row.windowEndsAt), Date.now());
}

function rejectAny(limits: readonly Limit[], counts: Counts, next = 1): void {
  for (const limit of limits) {
    const rejection = rejectionBy(limit, counts, next);
    if (rejection !== undefined) throw rejection;
  }
}

/** Counts an attempt; starts a new window if the last one has ended. */
function increment(tx: Tx, bucket: string): Promise<Count> {
  return returning<Count>(
    tx,
    `insert into sign_in_throttle (bucket, attempts, window_ends_at) values ($1, 1, $2)
     on conflict (bucket) do update set
       attempts = case when sign_in_throttle.window_ends_at <= $3 then 1 else sign_in_throttle.attempts + 1 end,
       window_ends_at = case when sign_in_throttle.window_ends_at <= $3 then excluded.window_ends_at
                        else sign_in_throttle.window_ends_at end
     returning bucket, attempts, window_ends_at as "windowEndsAt"`,
    [bucket, timestamp(WINDOW_MS), timestamp()],
  );
}

const decrement = (tx: Tx, bucket: string) =>
  tx.query("update sign_in_throttle set attempts = attempts - 1 where bucket = $1 and attempts > 0", [
    bucket,
  ]);

function limitsOf(email: string, ip: string | null) {
  const network = networkOf(ip);
  const site = siteOf(ip);
  const own: [Limit, ...Limit[]] = [
    { bucket: bucketOf(email, `pair:${network}`), max: MAX_PER_PAIR },
    { bucket: sha256(`address:${network}`), max: MAX_PER_ADDRESS },
  ];
  if (site !== undefined) own.push({ bucket: sha256(`site:${site}`), max: MAX_PER_SITE });
  return {
    account: { bucket: bucketOf(email, "account"), max: MAX_PER_ACCOUNT },
    /** The sign-in limits that apply even to known addresses. */
    own,
    /** A bucket that exists while the address is known for this account. */
    known: bucketOf(email, `known:${network}`),
    /** A bucket that exists while the address is known for any account. */
    home: sha256(`home:${network}`),
  };
}

/** Returns the common prefix of an account's buckets: half a hash, used to delete the buckets together. */
const accountPrefix = (email: string) => sha256(email).slice(0, 32);

const bucketOf = (email: string, what: string) => accountPrefix(email) + sha256(what).slice(0, 32);
