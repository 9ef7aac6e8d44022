import type { Logger } from "pino";
import type { EntityManager } from "typeorm";
import { lruCache } from "../../common/lru-cache";
import { type Timestamp, timestamp } from "../../common/time";
import type { Tx } from "../../database/unit-of-work";
import { type Attempt, AttemptOutcome, type SendResult } from "../../delivery/driver";
import type { Dispatch, DueWork, FinishedSend, LaneContext, LaneWork } from "../../delivery/lane-work";
import { GatewayError } from "../../errors";
import { Interrupted } from "./model/model";

/** Delay after a temporary failure (ms). */
const RETRY_MS = 5_000;

/** Temporary errors: database outages, and transactions that lost a race. */
const MAY_PASS: ReadonlySet<string> = new Set(["unavailable", "conflict"]);

export const DONE: SendResult = { outcome: AttemptOutcome.accepted, providerId: null, isDelivered: false };

const again = (code: string, detail: string, retryAfterMs = RETRY_MS): SendResult => ({
  outcome: AttemptOutcome.retryable,
  code,
  detail,
  retryAfterMs,
});

/** Runs lanes' items, each on one of its group's senders, and retries them after temporary failures. */
export abstract class Runner<Item extends { id: string }> implements LaneWork {
  /** The times when failed items are retried. */
  private readonly again = lruCache<string, Timestamp>(10_000);

  /** @param what the name of an item, in the singular */
  constructor(
    private readonly what: string,
    private readonly log: Logger,
  ) {}

  abstract start(tx: Tx, laneIds: readonly string[], context: LaneContext): Promise<DueWork>;

  protected abstract run(item: Item, signal: AbortSignal): Promise<SendResult>;

  /** Records that an item failed permanently. */
  protected abstract fail(item: Item, error: unknown): Promise<void>;

  /** Schedules retries; the results have already been stored. */
  async finish(_: EntityManager, ended: readonly FinishedSend[]): Promise<void> {
    for (const { laneId, result } of ended) {
      if (result.outcome === AttemptOutcome.accepted) this.again.delete(laneId);
      else this.again.set(laneId, timestamp(result.retryAfterMs ?? RETRY_MS));
    }
  }

  /** Returns the due work for items, and the IDs of due items that are held back. */
  protected dueWork(
    items: readonly (Item & { dueAt?: Timestamp; isHeld?: boolean })[],
    { senders }: LaneContext,
    groupOf: (item: Item) => string,
  ) {
    const next = new Map<string, Timestamp>();
    const dispatches: Dispatch[] = [];
    const waiting: DueWork["waiting"][number][] = [];
    const held: string[] = [];
    const now = timestamp();
    for (const item of items) {
      const { id, dueAt = "", isHeld = false } = item;
      const group = groupOf(item);
      const lane = { laneId: id, channelId: group, channelKind: group, share: group };
      const retryAt = this.again.get(id) ?? "";
      const wakeAt = retryAt > dueAt ? retryAt : dueAt;
      const send = (attempt: Attempt) => this.attempt(item, attempt);
      if (wakeAt > now) next.set(id, wakeAt);
      else if (isHeld) held.push(id);
      else if (!senders.take(id, group, { mayWait: true, share: group })) waiting.push(lane);
      else dispatches.push({ ...lane, message: { id }, attempt: 1, send });
    }
    return { next, dispatches, waiting, held };
  }

  private async attempt(item: Item, { mayLeave, signal }: Attempt): Promise<SendResult> {
    if (!mayLeave()) return again("lease_lost", `Another process took over the ${this.what}.`, 0);
    try {
      return await this.run(item, signal);
    } catch (error) {
      if (error instanceof Interrupted) return again("aborted", error.message, 0);
      if (error instanceof GatewayError && MAY_PASS.has(error.code)) return again(error.code, error.message);
      if (!(error instanceof GatewayError))
        this.log.error({ err: error, [this.what]: item.id }, `a ${this.what} failed`);
      await this.fail(item, error);
      return DONE;
    }
  }
}
