import { TokenBucket } from "../../common/token-bucket";

/** Max messages before `connection_init` is accepted. */
export const MAX_MESSAGES_BEFORE_INIT = 20;

/** Max messages per second once `connection_init` is accepted; also the max burst. */
export const MAX_MESSAGES_PER_SECOND = 50;

/** Bytes to read per second from a connection; a burst may be twice as large. */
export const BYTES_PER_SECOND = 65_536;

/** Limits what a client may send on a WebSocket, because even a rejected message costs a response or a lookup. */
export class TrafficLimit {
  private readonly bytes: TokenBucket;
  private messages: TokenBucket;

  /** @param clock monotonic time (ms) */
  constructor(private readonly clock: () => number) {
    this.bytes = new TokenBucket(2 * BYTES_PER_SECOND, BYTES_PER_SECOND, clock);
    this.messages = new TokenBucket(MAX_MESSAGES_BEFORE_INIT, 0, clock);
  }

  /** Raises the limit for an authenticated client. */
  accept(): void {
    this.messages = new TokenBucket(MAX_MESSAGES_PER_SECOND, MAX_MESSAGES_PER_SECOND, this.clock);
  }

  /** Counts a message, ping or pong; false if the limit is exceeded. */
  takeMessage(): boolean {
    return this.messages.take(1) === 0;
  }

  /** Counts bytes that were read; returns how long to stop reading (ms). */
  takeBytes(bytes: number): number {
    return this.bytes.take(bytes);
  }
}
