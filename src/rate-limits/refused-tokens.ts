import { LRUCache } from "lru-cache";
import { networkOf } from "../common/network";
import { refuseUntil } from "./retry-after";
import { countOne, type Window } from "./window";

const MAX_ADDRESSES = 10_000;
const MAX_TOKENS = 10_000;

/**
 * Keeps one address from trying out bearer tokens: after too many that nobody has, those from there are refused for
 * the rest of the minute before the database is asked. Tokens that this process has found before go on being looked
 * up, so that a neighbour behind the same address is not locked out, and a guess that would be right is refused too.
 */
export class RefusedTokens {
  private readonly windows = new LRUCache<string, Window>({ max: MAX_ADDRESSES });
  /** SHA-256 of tokens that somebody has, or had: it says nothing of whether they are still good. */
  private readonly found = new LRUCache<string, true>({ max: MAX_TOKENS });

  /**
   * @param perMinute most unknown tokens from an address in a minute; 0 is no limit
   * @param clock ms, never going back
   */
  constructor(
    private readonly perMinute: number,
    private readonly clock = () => performance.now(),
  ) {}

  /**
   * Looks a token up, or refuses to.
   * @param hash of the token; undefined for a malformed one, which is neither looked up nor counted
   * @param ip null for a caller without address, who is not limited
   * @throws GatewayError `too_many_attempts`, with `Retry-After`
   */
  async find<T>(
    hash: string | undefined,
    ip: string | null,
    lookUp: (hash: string) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    // A token with a wrong checksum costs no query and can never be right, so it is no guess.
    if (hash === undefined) return undefined;
    this.refuseClosed(hash, ip);
    const found = await lookUp(hash);
    if (this.perMinute === 0) return found;
    if (found !== undefined) this.remember(hash);
    else this.count(ip);
    return found;
  }

  /** Lets a token be looked up from wherever it comes: this process has found it, or has just made it. */
  remember(hash: string): void {
    this.found.set(hash, true);
  }

  private refuseClosed(hash: string, ip: string | null): void {
    if (this.windows.size === 0 || ip === null) return;
    const window = this.windows.get(networkOf(ip));
    const now = this.clock();
    if (window === undefined || window.used < this.perMinute || now >= window.endsAt) return;
    if (this.found.has(hash)) return;
    throw refuseUntil(
      "too_many_attempts",
      window.endsAt,
      now,
      "This address has presented too many unknown API keys or sessions. Wait before trying again.",
    );
  }

  private count(ip: string | null): void {
    if (ip === null) return;
    const network = networkOf(ip);
    this.windows.set(network, countOne(this.windows.get(network), this.perMinute, this.clock()).window);
  }
}
