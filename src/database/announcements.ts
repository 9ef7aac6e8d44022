import type { Engine } from "./engine";

/** Delay after the first announcement (ms), so that later ones are sent to other processes in the same notification. */
const GATHER_MS = 20;

type Listener = (detail?: string) => void;

/**
 * Notifies listeners of commits. This saves polling but guarantees nothing: on PostgreSQL, other processes are notified
 * unless the connection is lost, and on SQLite, only workers of the same service are notified.
 */
export class Announcements {
  private readonly channels = new Map<string, { listeners: Set<Listener>; stop: () => Promise<void> }>();
  private readonly pending = new Map<string, NodeJS.Timeout>();

  constructor(private readonly engine: Engine) {}

  /** Notifies listeners in this process now, with a detail, and other processes shortly afterwards if `others`. */
  announce(channel: string, others: boolean, detail?: string): void {
    this.relay(channel, detail);
    if (!others || this.pending.has(channel)) return;
    // Notifies outside the transaction, because PostgreSQL serializes commits that notify.
    const timer = setTimeout(() => {
      this.pending.delete(channel);
      this.engine.announce(channel).catch(() => undefined);
    }, GATHER_MS);
    this.pending.set(channel, timer.unref());
  }

  /** Calls a listener on each announcement on a channel, until the returned function is called. */
  listen(channel: string, listener: Listener): () => Promise<void> {
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

  /** Sends the pending announcements to other processes and stops listening. */
  async close(): Promise<void> {
    for (const timer of this.pending.values()) clearTimeout(timer);
    const announced = [...this.pending.keys()].map((channel) => this.engine.announce(channel));
    const stopped = [...this.channels.values()].map(({ stop }) => stop());
    this.pending.clear();
    this.channels.clear();
    await Promise.allSettled([...announced, ...stopped]);
  }

  /** Notifies the listeners in this process. */
  relay(channel: string, detail?: string): void {
    for (const listener of this.channels.get(channel)?.listeners ?? []) listener(detail);
  }
}
