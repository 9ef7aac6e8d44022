import { lruCache } from "../common/lru-cache";
import { countIn, type Decision, WINDOW_MS, type Window } from "./window";

/** Max keys with a window; beyond that, the least recently used key loses its window. */
const MAX_KEYS = 10_000;

/** A process's count of a key's requests, with the window's remaining time (ms), because clocks differ. */
export type KeyCount = readonly [keyId: string, used: number, remainingMs: number];

/** A listener that is called when this process has counted requests with a key. */
export type CountListener = (keyId: string, amount: number, decision: Decision) => void;

/** The windows of keys, with the counts of this process and the counts reported by other processes. */
export class KeyWindows {
  private readonly windows = lruCache<string, Window>(MAX_KEYS);

  /** @param onCount called after requests are counted in this process */
  constructor(
    private readonly onCount: CountListener = () => undefined,
    readonly now = () => performance.now(),
  ) {}

  /** Counts requests with a key, like `countIn`. */
  count(keyId: string, limit: number, amount = 1): Decision {
    const decision = countIn(this.windows.get(keyId), limit, this.now(), amount);
    this.windows.set(keyId, decision.window);
    if (decision.allowed) this.onCount(keyId, amount, decision);
    return decision;
  }

  /** Adds the counts of another process. */
  add(counts: readonly KeyCount[]): void {
    const now = this.now();
    for (const [keyId, used, remainingMs] of counts) {
      const endsAt = now + remainingMs;
      const own = this.windows.get(keyId);
      const later = own === undefined || own.endsAt <= now ? Number.POSITIVE_INFINITY : endsAt - own.endsAt;
      // If two ends are far apart, they are the ends of consecutive windows.
      if (later > WINDOW_MS / 2) this.windows.set(keyId, { used, endsAt });
      else if (own !== undefined && later > -WINDOW_MS / 2)
        this.windows.set(keyId, { used: own.used + used, endsAt: Math.min(own.endsAt, endsAt) });
    }
  }

  /** Returns all counts in current windows, for a new process. */
  list(): KeyCount[] {
    const now = this.now();
    return [...this.windows]
      .filter(([, { endsAt }]) => endsAt > now)
      .map(([keyId, { used, endsAt }]) => [keyId, used, endsAt - now]);
  }
}
