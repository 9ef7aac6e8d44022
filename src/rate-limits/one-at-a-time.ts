import { KeyWindows } from "./key-windows";
import { retryAfterError } from "./retry-after";

/** Limits each owner to one job at a time and to a number of jobs per minute, in this process. */
export class OneAtATime {
  private readonly windows = new KeyWindows();
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
    const { allowed, window } = this.windows.count(owner, this.maxPerMinute);
    const message = "Too many tests. Wait before the next one.";
    if (!allowed) throw retryAfterError("too_many_attempts", window.endsAt, now, message);
    this.running.add(owner);
    try {
      return await work();
    } finally {
      this.running.delete(owner);
    }
  }
}
