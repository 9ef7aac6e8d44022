import { TokenBucket } from "../../common/token-bucket";

/** Max messages until `connection_init` is accepted. */
export const MAX_MESSAGES_BEFORE_INIT = 20;

/** Max messages a second afterwards, and at once. */
export const MAX_MESSAGES_PER_SECOND = 50;

/** Bytes of a connection that are read a second; twice as many at once. */
export const BYTES_PER_SECOND = 65_536;

/** How much a client may send on a WebSocket: every message costs an answer or a lookup, whether or not it is accepted. */
export class TrafficLimit {
  private readonly bytes: TokenBucket;
  private messages: TokenBucket;

  /** @param clock monotonic time (ms) */
  constructor(private readonly clock: () => number) {
    this.bytes = new TokenBucket(2 * BYTES_PER_SECOND, BYTES_PER_SECOND, clock);
    this.messages = new TokenBucket(MAX_MESSAGES_BEFORE_INIT, 0, clock);
  }

  /** Raises the limit for a client whose credential was accepted. */
  accept(): void {
    this.messages = new TokenBucket(MAX_MESSAGES_PER_SECOND, MAX_MESSAGES_PER_SECOND, this.clock);
  }

  /**
   * Counts a message, ping or pong.
   * @returns false if it is one too many
   */
  takeMessage(): boolean {
    return this.messages.take(1) === 0;
  }

  /**
   * Counts bytes that were read.
   * @returns how long to read no more (ms)
   */
  takeBytes(bytes: number): number {
    return this.bytes.take(bytes);
  }
}
