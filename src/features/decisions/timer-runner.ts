import type { Logger } from "pino";
import type { EntityManager } from "typeorm";
import { lruCache } from "../../common/lru-cache";
import { DAY_MS, type Timestamp, timestamp } from "../../common/time";
import type { Database } from "../../database/database";
import { DELIVERING } from "../../database/limits";
import { padded, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { type Attempt, AttemptOutcome, type SendResult } from "../../delivery/driver";
import type { Dispatch, DueWork, FinishedSend, LaneContext, LaneWork } from "../../delivery/lane-work";
import type { Lanes } from "../../delivery/lanes";
import { GatewayError } from "../../errors";
import { ConversationState } from "../conversations/conversation.entity";
import { LineState } from "../lines/line.entity";
import { again, DONE, delayMs, MAY_PASS, RULES } from "./decision-runner";
import type { Planning } from "./planning";
import type { DueTimer, TimerDecisions } from "./timer-decisions";

/** Lane kind for due timers whose line is paused; changes to lines wake such lanes. */
export const HELD_TIMER_LANE = "held_timer";

/** How long the lane of a held timer sleeps if no line changes (ms). */
const HELD_MS = DAY_MS;

/** A waiting timer. */
interface WaitingTimer extends DueTimer {
  dueAt: Timestamp;
  /** ID of the timer's organization. */
  owner: string;
  /** True if the line that the agent would answer on is paused. */
  isHeld: boolean;
}

/**
 * Submits situations to agents when their timers are due. Several processes may fire the same timer, but only one takes
 * it.
 */
export class TimerRunner implements LaneWork {
  /** When to retry timers that could not fire. */
  private readonly again = lruCache<string, Timestamp>(10_000);

  /** Fires a timer; timers due at the same time share a transaction. */
  private readonly fire: (timer: WaitingTimer) => Promise<void>;

  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
    private readonly decisions: TimerDecisions,
    planning: Planning,
    private readonly log: Logger,
  ) {
    this.fire = database.batchFairly<WaitingTimer, void>({
      ...planning.batchesBy(({ owner }) => owner),
      limits: DELIVERING,
      store: async (tx, due) => {
        await decisions.fire(tx, due);
        return due.map(() => undefined);
      },
    });
  }

  async start(tx: Tx, laneIds: readonly string[], { senders }: LaneContext): Promise<DueWork> {
    const dispatches: Dispatch[] = [];
    const waiting: DueWork["waiting"][number][] = [];
    const next = new Map<string, Timestamp>();
    const held: string[] = [];
    const now = timestamp();
    for (const timer of await waitingTimers(tx, laneIds)) {
      const { id, dueAt } = timer;
      const wakeAt = [dueAt, this.again.get(id) ?? dueAt].sort().at(-1) ?? dueAt;
      const lane = { laneId: id, channelId: RULES, channelKind: RULES, share: RULES };
      if (wakeAt > now) next.set(id, wakeAt);
      else if (timer.isHeld) held.push(id);
      else if (!senders.take(id, RULES, { mayWait: true, share: RULES })) waiting.push(lane);
      else
        dispatches.push({
          ...lane,
          message: { id },
          attempt: 1,
          send: (attempt) => this.run(timer, attempt),
        });
    }
    if (held.length > 0) await this.lanes.become(tx, held, HELD_TIMER_LANE);
    for (const id of held) next.set(id, timestamp(HELD_MS));
    return { next, dispatches, waiting };
  }

  /** Schedules retries; the decision itself is already stored. */
  async finish(_: EntityManager, ended: readonly FinishedSend[]): Promise<void> {
    for (const { laneId, result } of ended) {
      if (result.outcome === AttemptOutcome.accepted) this.again.delete(laneId);
      else this.again.set(laneId, timestamp(delayMs(result)));
    }
  }

  private async run(timer: WaitingTimer, attempt: Attempt): Promise<SendResult> {
    if (!attempt.mayLeave()) return again("lease_lost", "Another process took over the timer.", 0);
    try {
      await this.fire(timer);
      return DONE;
    } catch (error) {
      if (error instanceof GatewayError && MAY_PASS.has(error.code)) return again(error.code, error.message);
      if (!(error instanceof GatewayError)) this.log.error({ err: error, timer: timer.id }, "a timer failed");
      const failure = { code: "internal_error", message: "The decision failed unexpectedly." };
      await this.database.write((tx) => this.decisions.fire(tx, [timer], failure), { limits: DELIVERING });
      return DONE;
    }
  }
}

/** Returns the timers of lanes; canceled and replaced timers have no row. */
async function waitingTimers(tx: Tx, ids: readonly string[]): Promise<WaitingTimer[]> {
  const some = padded(ids);
  const rows: WaitingTimer[] = await tx.query(
    `SELECT timer.id, timer.agent_id AS "agentId", timer.contact_id AS "contactId", timer.due_at AS "dueAt",
       organization_id AS owner, EXISTS (
         SELECT 1 FROM line WHERE line.state = '${LineState.paused}' AND line.id = coalesce(
           (SELECT line_id FROM conversation
            WHERE conversation.id = timer.conversation_id AND conversation.state = '${ConversationState.open}'),
           (SELECT id FROM line other WHERE other.agent_id = timer.agent_id AND other.is_default))
       ) AS "isHeld"
     FROM timer JOIN agent ON agent.id = timer.agent_id
     WHERE timer.id IN ${placeholders(1, some.length)}`,
    some,
  );
  return rows.map((row) => ({ ...row, isHeld: Boolean(row.isHeld) }));
}
