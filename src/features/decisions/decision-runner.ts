import type { Logger } from "pino";
import type { EntityManager } from "typeorm";
import { lruCache } from "../../common/lru-cache";
import { type Timestamp, timestamp } from "../../common/time";
import type { Database } from "../../database/database";
import { DELIVERING } from "../../database/limits";
import { placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { type Attempt, AttemptOutcome, type SendResult } from "../../delivery/driver";
import type { Dispatch, DueWork, FinishedSend, LaneContext, LaneWork } from "../../delivery/lane-work";
import { GatewayError } from "../../errors";
import type { CompiledConfigurations } from "../configuration/compiled-configurations";
import { Decision, DecisionState } from "./decision.entity";
import type { DecisionMaker, DueDecision } from "./decision-maker";
import type { ExplanationError } from "./explanation";
import { type Answer, askIn, NO_MODEL } from "./model/asking";
import { countAsk } from "./model/daily-limit";
import { Interrupted, type Model } from "./model/model";
import { isOvertaken } from "./model-request-state";
import type { Planning } from "./planning";

/** The sender groups for decisions by rules and by the model; each has its own share. */
export const RULES = "rules";
export const MODEL = "model";

/** Delay after a temporary failure (ms). */
const RETRY_MS = 5_000;

/** A stored decision, with the ID of its organization. */
interface OwnedDecision extends DueDecision {
  owner: string;
}

/** Makes background decisions. Several processes may run the same decision, but it is made only once. */
export class DecisionRunner implements LaneWork {
  /** When to retry failed decisions. */
  private readonly again = lruCache<string, Timestamp>(10_000);

  /** Makes a decision; decisions due at the same time share a transaction. */
  private readonly resume: (due: OwnedDecision) => Promise<void>;

  constructor(
    private readonly database: Database,
    private readonly maker: DecisionMaker,
    private readonly model: Model | undefined,
    private readonly compiledConfigurations: CompiledConfigurations,
    planning: Planning,
    private readonly log: Logger,
  ) {
    this.resume = database.batchFairly<OwnedDecision, void>({
      ...planning.batchesBy(({ owner }) => owner),
      limits: DELIVERING,
      store: (tx, due) => maker.resume(tx, due),
    });
  }

  async start(tx: Tx, laneIds: readonly string[], { senders }: LaneContext): Promise<DueWork> {
    const dispatches: Dispatch[] = [];
    const waiting: DueWork["waiting"][number][] = [];
    const next = new Map<string, Timestamp>();
    const now = timestamp();
    for (const decision of await undecided(tx, laneIds)) {
      const { id } = decision;
      const group = decision.basis === null ? RULES : MODEL;
      const lane = { laneId: id, channelId: group, channelKind: group, share: group };
      const again = this.again.get(id);
      if (again !== undefined && again > now) next.set(id, again);
      else if (!senders.take(id, group, { mayWait: true, share: group })) waiting.push(lane);
      else
        dispatches.push({
          ...lane,
          message: { id },
          attempt: 1,
          send: (attempt) => this.run(decision, attempt),
        });
    }
    return { next, dispatches, waiting };
  }

  /** Schedules retries; the decision itself is already stored. */
  async finish(_: EntityManager, ended: readonly FinishedSend[]): Promise<void> {
    for (const { laneId, result } of ended) {
      if (result.outcome === AttemptOutcome.accepted) this.again.delete(laneId);
      else this.again.set(laneId, timestamp(delayMs(result)));
    }
  }

  /**
   * Gets the model's answer for a decision that waits for it.
   * @returns undefined unless the decision is still waiting for the model
   */
  private async answerTo(id: string, signal: AbortSignal): Promise<Answer | undefined> {
    const decision = await this.database.read(async (reader) => {
      const found = await reader.findOneBy(Decision, { id, state: DecisionState.deciding });
      return found === null || found.basis === null || (await isOvertaken(reader, found)) ? null : found;
    });
    const ask = decision && askIn(decision.effects);
    if (decision == null || decision.snapshot === null || ask == null) return undefined;
    if (this.model === undefined) return NO_MODEL;
    const { agentId, configurationVersion: version } = decision;
    const { document } = await this.database.read((reader) =>
      this.compiledConfigurations.at(reader, agentId, version),
    );
    const { maxAsksPerDay: max } = document;
    const instead = max === undefined ? undefined : await countAsk(this.database, agentId, max);
    if (instead !== undefined) return instead;
    return this.model.answer(ask, { situation: decision.situation, ...decision.snapshot }, signal);
  }

  /**
   * Makes a decision.
   * @param attempt its signal aborts the wait for other systems
   */
  private async run(decision: OwnedDecision, attempt: Attempt): Promise<SendResult> {
    const { id } = decision;
    if (!attempt.mayLeave()) return again("lease_lost", "Another process took over the decision.", 0);
    try {
      const answer = decision.basis === null ? undefined : await this.answerTo(id, attempt.signal);
      await this.resume({ ...decision, answer });
      const wasAsked = answer?.request !== undefined;
      return wasAsked && "error" in answer ? unanswered(answer.error) : DONE;
    } catch (error) {
      if (error instanceof Interrupted) return again("aborted", error.message, 0);
      if (error instanceof GatewayError && MAY_PASS.has(error.code)) return again(error.code, error.message);
      if (!(error instanceof GatewayError)) this.log.error({ err: error, decision: id }, "a decision failed");
      const { code, message } =
        error instanceof GatewayError
          ? error
          : { code: "internal_error", message: "The decision failed unexpectedly." };
      await this.database.write((tx) => this.maker.fail(tx, id, { code, message }), { limits: DELIVERING });
      return DONE;
    }
  }
}

/** Returns the result if the model gave no valid answer; the model gets only one sender until it gives one. */
const unanswered = ({ code, message }: ExplanationError): SendResult => ({
  outcome: AttemptOutcome.uncertain,
  code,
  detail: message,
});

export const DONE: SendResult = { outcome: AttemptOutcome.accepted, providerId: null, isDelivered: false };

/** Errors that may pass: database outages, and transactions that lost a race. */
export const MAY_PASS: ReadonlySet<string> = new Set(["unavailable", "conflict"]);

export const again = (code: string, detail: string, retryAfterMs = RETRY_MS): SendResult => ({
  outcome: AttemptOutcome.retryable,
  code,
  detail,
  retryAfterMs,
});

/** Returns the delay before retrying a decision that was not made (ms). */
export const delayMs = (result: SendResult): number =>
  result.outcome === AttemptOutcome.accepted ? 0 : (result.retryAfterMs ?? RETRY_MS);

/** Returns the decisions that are still pending. */
async function undecided(tx: Tx, ids: readonly string[]): Promise<OwnedDecision[]> {
  const rows: (Omit<OwnedDecision, "basis"> & { basis: string | null })[] = await tx.query(
    `select decision.id, agent_id as "agentId", contact_id as "contactId", conversation_id as "conversationId", basis,
       organization_id as owner
     from decision join agent on agent.id = agent_id
     where decision.id in ${placeholders(1, ids.length)} and state = $${ids.length + 1}`,
    [...ids, DecisionState.deciding],
  );
  return rows.map(({ basis, ...decision }) => ({ ...decision, basis: basis && JSON.parse(basis) }));
}
