import { lruCache } from "../common/lru-cache";
import { retryAfterError } from "./retry-after";
import { countIn, type Window } from "./window";

const MAX_OWNERS = 10_000;

/** Limits each owner to one job at a time and to a number of jobs per minute, in this process. */
export class OneAtATime {
  private readonly windows = lruCache<string, Window>(MAX_OWNERS);
  private readonly running = new Set<string>();

  /** @param busy the error message if another of the owner's jobs is running */
  constructor(
    private readonly maxPerMinute: number,
    private readonly busy: string,
  ) {}

  /** @throws GatewayError `too_many_attempts` */
  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    const now = performance.now();
    if (this.running.has(owner)) throw retryAfterError("too_many_attempts", now, now, this.busy);
    const { allowed, window } = countIn(this.windows.get(owner), this.maxPerMinute, now);
    this.windows.set(owner, window);
    if (!allowed) {
      throw retryAfterError(
        "too_many_attempts",
        window.endsAt,
        now,
        "Too many tests. Wait before the next one.",
      );
    }
    this.running.add(owner);
    try {
      return await work();
    } finally {
      this.running.delete(owner);
    }
  }
}
