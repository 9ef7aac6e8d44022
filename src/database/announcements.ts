import type { Engine } from "./engine";

/** Other processes are told of several announcements together, this long after the first (ms). */
const GATHER_MS = 20;

/**
 * Tells listeners that something was committed. It saves waiting but guarantees nothing: other processes learn of it on
 * PostgreSQL, while the connection is not lost, and on SQLite if they are workers of one service.
 */
export class Announcements {
  private readonly channels = new Map<string, { listeners: Set<() => void>; stop: () => Promise<void> }>();
  private readonly pending = new Map<string, NodeJS.Timeout>();

  constructor(private readonly engine: Engine) {}

  /** Notifies the listeners of this process now, and other processes soon if they need to know. */
  announce(channel: string, others: boolean): void {
    this.relay(channel);
    if (!others || this.pending.has(channel)) return;
    // Not in the transaction itself, because PostgreSQL serializes commits that notify.
    const timer = setTimeout(() => {
      this.pending.delete(channel);
      this.engine.announce(channel).catch(() => undefined);
    }, GATHER_MS);
    this.pending.set(channel, timer.unref());
  }

  /**
   * Calls a listener on announcements of a channel.
   * @returns a function that stops it
   */
  listen(channel: string, listener: () => void): () => Promise<void> {
    const listeners = this.channels.get(channel)?.listeners ?? new Set();
    listeners.add(listener);
    if (!this.channels.has(channel))
      this.channels.set(channel, {
        listeners,
        stop: this.engine.listen(channel, () => this.relay(channel)),
      });
    return async () => {
      if (!listeners.delete(listener) || listeners.size > 0) return;
      const { stop } = this.channels.get(channel) ?? {};
      this.channels.delete(channel);
      await stop?.();
    };
  }

  /** Tells other processes what they do not know yet, and stops listening. */
  async close(): Promise<void> {
    for (const timer of this.pending.values()) clearTimeout(timer);
    const announced = [...this.pending.keys()].map((channel) => this.engine.announce(channel));
    const stopped = [...this.channels.values()].map(({ stop }) => stop());
    this.pending.clear();
    this.channels.clear();
    await Promise.allSettled([...announced, ...stopped]);
  }

  /** Tells the listeners of this process. */
  relay(channel: string): void {
    for (const listener of this.channels.get(channel)?.listeners ?? []) listener();
  }
}
