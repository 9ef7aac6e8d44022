import type { Caller } from "../../../auth/caller";
import type { BatchedStream } from "../../../common/batched-stream";
import type { GatewayError } from "../../../errors";
import type { Event } from "../event.entity";

/** An agent with followers in this process. */
export interface FollowedAgent {
  readonly id: string;
  /** The last known position of the agent's events. */
  last: bigint;
  followers: number;
}

/** The methods of `LiveEvents` that a follower calls. */
interface Source {
  /** Called when a follower waits for events. */
  waits(follower: Follower): void;
  /** Called once when a follower ends. */
  ended(follower: Follower, error: GatewayError | undefined): void;
}

interface Demand {
  resolve(batch: readonly Event[] | undefined): void;
  reject(error: GatewayError): void;
}

/** An event stream that requests the next batch once the reader has consumed the previous one. */
export class Follower implements BatchedStream<Event> {
  readonly startedAt = performance.now();
  /** Number of events passed to the reader. */
  sent = 0;
  private hasEnded = false;
  private demand: Demand | undefined;
  private batch: readonly Event[] = [];
  private taken = 0;

  /**
   * @param types sorted types of the events; undefined for all
   * @param at the stream starts after this position
   */
  constructor(
    readonly caller: Caller,
    readonly agent: FollowedAgent,
    readonly types: readonly string[] | undefined,
    private at: bigint,
    /** Address of the client. */
    readonly ip: string | null,
    private readonly source: Source,
  ) {}

  get position(): string {
    return String(this.at);
  }

  /** Position of the last event read for this follower. */
  get cursor(): bigint {
    return this.at;
  }

  /** True if there are events that the follower has not received. */
  get isBehind(): boolean {
    return this.at < this.agent.last;
  }

  nextBatch(): Promise<readonly Event[] | undefined> {
    if (this.hasEnded) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.demand = { resolve, reject };
      this.source.waits(this);
    });
  }

  async next(): Promise<IteratorResult<Event, undefined>> {
    if (this.taken === this.batch.length) {
      this.batch = (await this.nextBatch()) ?? [];
      this.taken = 0;
    }
    const event = this.batch[this.taken];
    if (event === undefined) return { done: true, value: undefined };
    this.taken += 1;
    return { done: false, value: event };
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Passes the events up to a position to the reader. Returns true if there are none, so the follower still waits. */
  deliver(events: readonly Event[], upTo: bigint): boolean {
    this.at = upTo;
    if (events.length === 0) return true;
    this.sent += events.length;
    this.demand?.resolve(events);
    this.demand = undefined;
    return false;
  }

  /** Ends the stream, normally or with an error for the reader. */
  end(error?: GatewayError): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.batch = [];
    this.taken = 0;
    if (error === undefined) this.demand?.resolve(undefined);
    else this.demand?.reject(error);
    this.demand = undefined;
    this.source.ended(this, error);
  }
}
