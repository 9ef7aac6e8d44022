import type { Logger } from "pino";
import { In } from "typeorm";
import { v7 as uuid } from "uuid";
import { HOUR_MS, type Timestamp, timestamp } from "../../common/time";
import type { Database } from "../../database/database";
import { DELIVERING } from "../../database/limits";
import type { Tx } from "../../database/unit-of-work";
import { AttemptOutcome, type SendResult } from "../../delivery/driver";
import type { Dispatch, DueWork, LaneContext, LaneWork } from "../../delivery/lane-work";
import type { Lanes } from "../../delivery/lanes";
import type { Line } from "../lines/line.entity";
import type { Receipt, Receipts } from "../messages/receipts";
import { EarlyReceipt } from "./early-receipt.entity";

/** The sender group for receipts, with its own share of the senders. */
export const RECEIPTS = "receipts";

/** Lane kind for early receipts; a lane has the ID of its receipt. */
export const RECEIPT_LANE = "receipt";

/** Delay before a receipt's message is first looked up (ms). Later delays equal the receipt's age. */
const FIRST_MS = 1_000;

/** Max time a receipt can wait for its message (ms). Any send ends earlier, even if its process is killed. */
const KEPT_MS = HOUR_MS;

/** The stored part of a receipt. */
type Early = Omit<Receipt, "lineId" | "message"> & { message: { providerId: string } };

/** Stores receipts that arrive before the response to the send, which contains the message IDs that they name. */
export class EarlyReceipts implements LaneWork {
  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
    private readonly receipts: Receipts,
    private readonly log: Logger,
  ) {}

  /** Stores a receipt until its message is known, for at most an hour. */
  async keep({ id: lineId, agentId, agent }: Line, { message, status, at, errorText }: Early): Promise<void> {
    const id = uuid();
    const dueAt = timestamp(FIRST_MS);
    await this.database.writeFor(agent?.organizationId, async (tx) => {
      await tx.insert(EarlyReceipt, {
        id,
        agentId,
        lineId,
        providerId: message.providerId,
        status,
        at: at ?? timestamp(),
        errorText: errorText ?? null,
        createdAt: timestamp(),
        dueAt,
      });
      await this.lanes.add(tx, [{ id, agentId, kind: RECEIPT_LANE, wakeAt: dueAt }]);
    });
  }

  async start(tx: Tx, ids: readonly string[], { senders }: LaneContext): Promise<DueWork> {
    const dispatches: Dispatch[] = [];
    const waiting: DueWork["waiting"][number][] = [];
    const next = new Map<string, Timestamp>();
    const now = timestamp();
    for (const { id, dueAt } of await tx.findBy(EarlyReceipt, { id: In([...ids]) })) {
      const lane = { laneId: id, channelId: RECEIPTS, channelKind: RECEIPTS, share: RECEIPTS };
      if (dueAt > now) next.set(id, dueAt);
      else if (!senders.take(id, RECEIPTS, { mayWait: true, share: RECEIPTS })) waiting.push(lane);
      else dispatches.push({ ...lane, message: { id }, attempt: 1, send: () => this.look(id) });
    }
    return { next, dispatches, waiting };
  }

  /** No-op, because the results are already stored. */
  async finish(): Promise<void> {}

  /** Applies a receipt if its message is known. Uses its own transaction, because applying a receipt locks lanes. */
  private async look(id: string): Promise<SendResult> {
    try {
      await this.database.write(
        async (tx) => {
          const early = await tx.findOneBy(EarlyReceipt, { id });
          if (early === null) return;
          const { lineId, providerId, status, at, errorText } = early;
          const receipt = { lineId, message: { providerId }, status, at, errorText: errorText ?? undefined };
          const ageMs = Date.now() - Date.parse(early.createdAt);
          if ((await this.receipts.apply(receipt, { tx })) !== undefined || ageMs > KEPT_MS)
            await tx.delete(EarlyReceipt, { id });
          else await tx.update(EarlyReceipt, { id }, { dueAt: timestamp(Math.max(ageMs, FIRST_MS)) });
        },
        { limits: DELIVERING },
      );
      return { outcome: AttemptOutcome.accepted, providerId: null, isDelivered: false };
    } catch (err) {
      this.log.warn({ err, receipt: id }, "could not apply a receipt, will retry it later");
      return {
        outcome: AttemptOutcome.retryable,
        code: "failed",
        detail: "The receipt could not be applied.",
      };
    }
  }
}
