import type { Logger } from "pino";
import { DAY_MS, timestampOf } from "../../common/time";
import type { Database } from "../../database/database";
import { DELIVERING } from "../../database/limits";
import { allReturning, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { AttemptOutcome, type SendResult } from "../../delivery/driver";
import type { DueWork, LaneContext } from "../../delivery/lane-work";
import { GatewayError } from "../../errors";
import type { CompiledConfigurations } from "../configuration/compiled-configurations";
import { Decision, DecisionState } from "./decision.entity";
import type { DecisionMaker, DueDecision } from "./decision-maker";
import type { ExplanationError } from "./explanation";
import { type Answer, askIn, NO_MODEL } from "./model/asking";
import type { Model } from "./model/model";
import { isOvertaken } from "./model-request-state";
import type { Planning } from "./planning";
import { DONE, Runner } from "./runner";

/** The sender groups for decisions by rules and by the model; each has its own share of the senders. */
export const RULES = "rules";
export const MODEL = "model";

/** The error that replaces an unexpected error, whose details must not be exposed. */
export const FAILURE = { code: "internal_error", message: "The decision failed unexpectedly." };

interface OwnedDecision extends DueDecision {
  owner: string;
}

/** Makes background decisions. Several processes may pick up the same decision, but only one makes it. */
export class DecisionRunner extends Runner<OwnedDecision> {
  /** Makes a decision; decisions due at the same time share a transaction. */
  private readonly resume: (due: OwnedDecision) => Promise<void>;

  constructor(
    private readonly database: Database,
    private readonly maker: DecisionMaker,
    private readonly model: Model | undefined,
    private readonly compiledConfigurations: CompiledConfigurations,
    planning: Planning,
    log: Logger,
  ) {
    super("decision", log);
    this.resume = database.batchFairly<OwnedDecision, void>({
      ...planning.batchesBy(({ owner }) => owner),
      limits: DELIVERING,
      store: (tx, due) => maker.resume(tx, due),
    });
  }

  async start(tx: Tx, laneIds: readonly string[], context: LaneContext): Promise<DueWork> {
    const decisions = await undecided(tx, laneIds);
    return this.dueWork(decisions, context, ({ basis }) => (basis === null ? RULES : MODEL));
  }

  /** Requests the model's answer; undefined unless the decision is still waiting for the model. */
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

  /** @param signal aborts requests to other systems */
  protected async run(decision: OwnedDecision, signal: AbortSignal): Promise<SendResult> {
    const answer = decision.basis === null ? undefined : await this.answerTo(decision.id, signal);
    await this.resume({ ...decision, answer });
    const wasAsked = answer?.request !== undefined;
    return wasAsked && "error" in answer ? unanswered(answer.error) : DONE;
  }

  protected async fail({ id }: OwnedDecision, error: unknown): Promise<void> {
    const { code, message } = error instanceof GatewayError ? error : FAILURE;
    await this.database.write((tx) => this.maker.fail(tx, id, { code, message }), { limits: DELIVERING });
  }
}

/**
 * Returns the result of a request without a valid answer: a failed attempt, after which the model gets one request at a
 * time until it answers.
 */
const unanswered = ({ code, message }: ExplanationError): SendResult => ({
  outcome: AttemptOutcome.uncertain,
  code,
  detail: message,
});

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

/**
 * Counts a request to the model, in its own transaction and exactly across processes, up to `max` per day.
 * @returns the answer to use instead of the model's; undefined if the model may be called
 */
async function countAsk(database: Database, agentId: string, max: number): Promise<Answer | undefined> {
  const day = timestampOf(Math.floor(Date.now() / DAY_MS) * DAY_MS);
  const counted =
    max > 0 &&
    (await database.write(
      (tx) =>
        allReturning(
          tx,
          `insert into model_usage (agent_id, day, asks) values ($1, $2, 1)
           on conflict (agent_id, day) do update set asks = model_usage.asks + 1 where model_usage.asks < $3
           returning asks`,
          [agentId, day, max],
        ),
      { limits: DELIVERING },
    ));
  if (counted && counted.length > 0) return undefined;
  const message = `The agent can make at most ${max} requests to the model per day (UTC).`;
  return { error: { code: "limit_reached", message } };
}
