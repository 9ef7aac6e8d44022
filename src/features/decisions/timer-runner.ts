import type { Logger } from "pino";
import { DAY_MS, type Timestamp, timestamp } from "../../common/time";
import type { Database } from "../../database/database";
import { DELIVERING } from "../../database/limits";
import { padded, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import type { SendResult } from "../../delivery/driver";
import type { DueWork, LaneContext } from "../../delivery/lane-work";
import type { Lanes } from "../../delivery/lanes";
import { ConversationState } from "../conversations/conversation.entity";
import { LineState } from "../lines/line.entity";
import { FAILURE, RULES } from "./decision-runner";
import type { Planning } from "./planning";
import { DONE, Runner } from "./runner";
import type { DueTimer, TimerDecisions } from "./timer-decisions";

/** Lane kind for due timers whose line is paused; changes to the line or the conversation wake such lanes. */
export const HELD_TIMER_LANE = "held_timer";

/** Max sleep time of a held timer's lane (ms). */
const HELD_MS = DAY_MS;

interface WaitingTimer extends DueTimer {
  dueAt: Timestamp;
  /** The timer's organization ID. */
  owner: string;
  /** True if the line that the agent would answer on is paused. */
  isHeld: boolean;
}

/** Submits due timers' situations to agents. Several processes may fire a timer, but only one succeeds. */
export class TimerRunner extends Runner<WaitingTimer> {
  /** Fires a timer; timers due at the same time share a transaction. */
  private readonly fire: (timer: WaitingTimer) => Promise<void>;

  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
    private readonly decisions: TimerDecisions,
    planning: Planning,
    log: Logger,
  ) {
    super("timer", log);
    this.fire = database.batchFairly<WaitingTimer, void>({
      ...planning.batchesBy(({ owner }) => owner),
      limits: DELIVERING,
      store: async (tx, due) => {
        await decisions.fire(tx, due);
        return due.map(() => undefined);
      },
    });
  }

  async start(tx: Tx, laneIds: readonly string[], context: LaneContext): Promise<DueWork> {
    const timers = await waitingTimers(tx, laneIds);
    const { held, ...work } = this.dueWork(timers, context, () => RULES);
    if (held.length > 0) await this.lanes.become(tx, held, HELD_TIMER_LANE);
    for (const id of held) work.next.set(id, timestamp(HELD_MS));
    return work;
  }

  protected async run(timer: WaitingTimer): Promise<SendResult> {
    await this.fire(timer);
    return DONE;
  }

  protected async fail(timer: WaitingTimer): Promise<void> {
    await this.database.write((tx) => this.decisions.fire(tx, [timer], FAILURE), { limits: DELIVERING });
  }
}

/** Returns the lanes' timers, longest due first. Canceled and replaced timers no longer have a row. */
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
     WHERE timer.id IN ${placeholders(1, some.length)} ORDER BY timer.due_at, timer.id`,
    some,
  );
  return rows.map((row) => ({ ...row, isHeld: Boolean(row.isHeld) }));
}
