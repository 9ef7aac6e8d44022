import type { Engine } from "./engine";

/** Other processes hear of several announcements together, this long after the first (ms). */
const GATHER_MS = 20;

/**
 * Tells listeners that something was committed. It saves waiting but guarantees nothing: other processes hear of it on
 * PostgreSQL, while the connection is not lost, and on SQLite if they are workers of one service.
 */
export class Announcements {
  private readonly channels = new Map<string, { listeners: Set<() => void>; stop: () => Promise<void> }>();
  private readonly pending = new Map<string, NodeJS.Timeout>();

  constructor(private readonly engine: Engine) {}

  /** Tells the listeners of this process now, and those of others soon. */
  announce(channel: string): void {
    this.hear(channel);
    if (this.pending.has(channel)) return;
    // Not in the transaction itself, because PostgreSQL commits those that notify one after the other.
    const timer = setTimeout(() => {
      this.pending.delete(channel);
      this.engine.announce(channel).catch(() => undefined);
    }, GATHER_MS);
    this.pending.set(channel, timer.unref());
  }

  /** Calls a listener on announcements of a channel. @returns a function that stops it */
  listen(channel: string, listener: () => void): () => Promise<void> {
    const listeners = this.channels.get(channel)?.listeners ?? new Set();
    listeners.add(listener);
    if (!this.channels.has(channel))
      this.channels.set(channel, {
        listeners,
        stop: this.engine.listen(channel, () => this.hear(channel)),
      });
    return async () => {
      if (!listeners.delete(listener) || listeners.size > 0) return;
      const { stop } = this.channels.get(channel) ?? {};
      this.channels.delete(channel);
      await stop?.();
    };
  }

  /** Forgets what other processes have not heard yet. */
  close(): void {
    for (const timer of this.pending.values()) clearTimeout(timer);
    this.pending.clear();
  }

  /** Tells the listeners of this process. */
  hear(channel: string): void {
    for (const listener of this.channels.get(channel)?.listeners ?? []) listener();
  }
}
