import { lruCache } from "../common/lru-cache";
import { networkOf } from "../common/network";
import { retryAfterError } from "./retry-after";
import { countIn, type Window } from "./window";

const MAX_ADDRESSES = 10_000;
const MAX_TOKENS = 10_000;

/**
 * Prevents clients from guessing bearer tokens: after too many unknown tokens from an address, its tokens are
 * rejected without a lookup for the rest of the minute. Tokens previously found by this process are still
 * looked up, so that other clients behind the same address retain access.
 */
export class RejectedTokens {
  private readonly windows = lruCache<string, Window>(MAX_ADDRESSES);
  /** SHA-256 of tokens that existed when they were looked up; they may have been revoked since then. */
  private readonly found = lruCache<string, true>(MAX_TOKENS);

  /** @param perMinute max unknown tokens per address per minute; 0 disables the limit */
  constructor(
    private readonly perMinute: number,
    private readonly clock = () => performance.now(),
  ) {}

  /**
   * Looks up a token, unless its address has presented too many unknown tokens.
   * @param hash hash of the token; undefined for a malformed token, which is neither looked up nor counted
   * @param ip null for a caller without an address; such a caller is not limited
   * @throws GatewayError `too_many_attempts`, with `Retry-After`
   */
  async find<T>(
    hash: string | undefined,
    ip: string | null,
    lookUp: (hash: string) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    // A malformed token, such as one with a wrong checksum, is rejected without a query, so it is not counted
    // as a guess.
    if (hash === undefined) return undefined;
    this.assertNotLimited(hash, ip);
    const found = await lookUp(hash);
    if (this.perMinute === 0) return found;
    if (found !== undefined) this.remember(hash);
    else this.count(ip);
    return found;
  }

  /** Exempts an existing token from the limit, from any address. */
  remember(hash: string): void {
    // An evicted token that is still in use is cached again on its next request, so recency need not be tracked.
    if (!this.found.has(hash)) this.found.set(hash, true);
  }

  private assertNotLimited(hash: string, ip: string | null): void {
    if (this.windows.size === 0 || ip === null) return;
    const window = this.windows.get(networkOf(ip));
    const now = this.clock();
    if (window === undefined || window.used < this.perMinute || now >= window.endsAt) return;
    if (this.found.has(hash)) return;
    throw retryAfterError(
      "too_many_attempts",
      window.endsAt,
      now,
      "Too many unknown API keys or sessions were presented from this address. Wait before trying again.",
    );
  }

  private count(ip: string | null): void {
    if (ip === null) return;
    const network = networkOf(ip);
    this.windows.set(network, countIn(this.windows.get(network), this.perMinute, this.clock()).window);
  }
}
