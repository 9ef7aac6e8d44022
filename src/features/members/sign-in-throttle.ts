import { type EntityManager, In } from "typeorm";
import { networkOf, siteOf } from "../../common/network";
import { timestamp } from "../../common/time";
import { sha256 } from "../../credentials/sha256";
import type { Database } from "../../database/database";
import { returning } from "../../database/returning";
import type { GatewayError } from "../../errors";
import { refuseUntil } from "../../rate-limits/retry-after";
import { SignInThrottle } from "./sign-in-throttle.entity";

const WINDOW_MS = 15 * 60 * 1000;
/** How long an address stays known from which the member signed in. */
const KNOWN_MS = 30 * 24 * 60 * 60 * 1000;
/** For one account, from everywhere. */
const MAX_PER_ACCOUNT = 100;
/** For one account from one address: a stranger elsewhere cannot lock the owner out with a few wrong passwords. */
const MAX_PER_PAIR = 10;
/** From one address for all accounts; an office may share one. */
const MAX_PER_ADDRESS = 50;
/** From one IPv6 site (/48), which has 65,536 networks that each count as an address. */
const MAX_PER_SITE = 200;

interface Limit {
  bucket: string;
  max: number;
}

/**
 * Counts an attempt to sign in before its password is verified, so that concurrent attempts cannot exceed a limit.
 * It counts what was typed, whether the account exists or not. A refused attempt is not counted and writes nothing.
 * An account that others have closed stays open for an address that its member signed in from lately, but a wrong
 * password must then be refused as it is elsewhere: otherwise the answer would tell that the account exists.
 * @returns that refusal; undefined while the account is open
 * @throws GatewayError `too_many_attempts`, with `Retry-After`
 */
export async function countSignInAttempt(
  database: Database,
  email: string,
  ip: string | null,
): Promise<GatewayError | undefined> {
  const { account, own, known } = limitsOf(email, ip);
  const all = [account, ...own];
  // Read first: a flood of refused attempts must not queue for the write lock.
  const found = await database.read((reader) =>
    bucketsNow(reader, [...all.map(({ bucket }) => bucket), known]),
  );
  refuseAny(own, found);
  if (!found.has(known)) refuseAny([account], found);
  return database.write(async (tx) => {
    const counted = new Map<string, SignInThrottle>();
    // Every transaction locks buckets in this order.
    for (const { bucket } of all) counted.set(bucket, await increment(tx, bucket));
    // What is thrown takes the counts back.
    refuseAny(own, counted, 0);
    const closed = refusalBy(account, counted, 0);
    if (closed !== undefined && !found.has(known)) throw closed;
    return closed;
  });
}

/** A successful sign-in clears its account's counts, takes itself off its address's, and makes the address known. */
export async function recordSignIn(tx: EntityManager, email: string, ip: string | null): Promise<void> {
  const { account, own, known } = limitsOf(email, ip);
  const [pair, ...shared] = own;
  await tx.delete(SignInThrottle, { bucket: account.bucket });
  await tx.delete(SignInThrottle, { bucket: pair.bucket });
  for (const { bucket } of shared) await decrement(tx, bucket);
  await tx.upsert(SignInThrottle, { bucket: known, attempts: 0, windowEndsAt: timestamp(KNOWN_MS) }, [
    "bucket",
  ]);
}

/** Takes one attempt off every count that it was added to, and leaves those of others. */
export async function takeBackAttempt(tx: EntityManager, email: string, ip: string | null): Promise<void> {
  const { account, own } = limitsOf(email, ip);
  for (const { bucket } of [account, ...own]) await decrement(tx, bucket);
}

/** Opens an account again for every address, and forgets the known ones. */
export async function openAccount(tx: EntityManager, email: string): Promise<void> {
  const prefix = accountPrefix(email);
  // Locked first, as everywhere: the rest of the account's rows are then deleted in any order.
  await increment(tx, bucketOf(email, "account"));
  await tx
    .createQueryBuilder()
    .delete()
    .from(SignInThrottle)
    // "g" follows the hexadecimal digits in every collation.
    .where("bucket >= :prefix AND bucket < :end", { prefix, end: `${prefix}g` })
    .execute();
}

/** Writes the account's count unchanged, so that refusing an unknown address costs the same transaction. */
export async function touchSignInAttempts(tx: EntityManager, email: string): Promise<void> {
  const bucket = bucketOf(email, "account");
  await tx.update(SignInThrottle, { bucket }, { bucket });
}

/** The current rows of the buckets; a window that has ended counts no more. */
async function bucketsNow(reader: EntityManager, buckets: string[]): Promise<Map<string, SignInThrottle>> {
  const rows = await reader.findBy(SignInThrottle, { bucket: In(buckets) });
  const now = timestamp();
  return new Map(rows.filter((row) => row.windowEndsAt > now).map((row) => [row.bucket, row]));
}

/** @param next attempts that are still to be counted */
function refusalBy(
  { bucket, max }: Limit,
  counts: ReadonlyMap<string, SignInThrottle>,
  next: number,
): GatewayError | undefined {
  const row = counts.get(bucket);
  if (row === undefined || row.attempts + next <= max) return undefined;
  return refuseUntil("too_many_attempts", Date.parse(row.windowEndsAt), Date.now());
}

function refuseAny(limits: readonly Limit[], counts: ReadonlyMap<string, SignInThrottle>, next = 1): void {
  for (const limit of limits) {
    const refusal = refusalBy(limit, counts, next);
    if (refusal !== undefined) throw refusal;
  }
}

/** Counts one more, in a new window when the last one has ended. */
function increment(tx: EntityManager, bucket: string): Promise<SignInThrottle> {
  return returning<SignInThrottle>(
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

const decrement = (tx: EntityManager, bucket: string) =>
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
    /** Those that hold for a known address too. */
    own,
    /** Exists while the member signed in from this address lately. */
    known: bucketOf(email, `known:${network}`),
  };
}

/** What the buckets of an account begin with: half a hash, so that they can be deleted together. */
const accountPrefix = (email: string) => sha256(email).slice(0, 32);

const bucketOf = (email: string, what: string) => accountPrefix(email) + sha256(what).slice(0, 32);
