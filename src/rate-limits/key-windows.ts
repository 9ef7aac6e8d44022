import { LRUCache } from "lru-cache";
import { countMany, type Decision, WINDOW_MS, type Window } from "./window";

/** Max keys with a window; beyond it the least recently used key starts a new one. */
const MAX_KEYS = 10_000;

/** Requests of a key that a process has counted, and how long their window still lasts (ms): clocks differ. */
export type KeyCount = readonly [keyId: string, used: number, remainingMs: number];

/** Called with the requests that were counted in this process. */
export type CountListener = (keyId: string, amount: number, decision: Decision) => void;

/** The windows of keys: what this process has counted, and what others have reported to it. */
export class KeyWindows {
  private readonly windows = new LRUCache<string, Window>({ max: MAX_KEYS });

  /**
   * @param onCount called after requests were counted here
   * @param now monotonic time (ms)
   */
  constructor(
    private readonly onCount: CountListener = () => undefined,
    readonly now = () => performance.now(),
  ) {}

  /** Counts requests of a key, as `countMany` does. */
  count(keyId: string, limit: number, amount: number): Decision {
    const decision = countMany(this.windows.get(keyId), limit, this.now(), amount);
    this.windows.set(keyId, decision.window);
    if (decision.allowed) this.onCount(keyId, amount, decision);
    return decision;
  }

  /** Adds what another process has counted. */
  add(counts: readonly KeyCount[]): void {
    const now = this.now();
    for (const [keyId, used, remainingMs] of counts) {
      const endsAt = now + remainingMs;
      const own = this.windows.get(keyId);
      const later = own === undefined || own.endsAt <= now ? Number.POSITIVE_INFINITY : endsAt - own.endsAt;
      // If the ends are far apart, they belong to consecutive windows.
      if (later > WINDOW_MS / 2) this.windows.set(keyId, { used, endsAt });
      else if (own !== undefined && later > -WINDOW_MS / 2)
        this.windows.set(keyId, { used: own.used + used, endsAt: Math.min(own.endsAt, endsAt) });
    }
  }

  /** Everything counted in windows that have not ended, for a process that starts. */
  list(): KeyCount[] {
    const now = this.now();
    return [...this.windows]
      .filter(([, { endsAt }]) => endsAt > now)
      .map(([keyId, { used, endsAt }]) => [keyId, used, endsAt - now]);
  }
}
