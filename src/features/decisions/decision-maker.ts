import { type RequestContext } from "../../auth/context";
import { type Timestamp, timestampOf } from "../../common/time";
import { changeTogether } from "../../database/change-together";
import { accepted, eachAccepted } from "../../database/coalesce-in-tx";
import { insertsOf } from "../../database/insert-all";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError } from "../../errors";
import { Agent } from "../agents/agent.entity";
import type { CompiledConfigurations } from "../configuration/compiled-configurations";
import { readSituation } from "../configuration/document/read-situation";
import { lockSubjects } from "../contacts/known-contact";
import { recordEvents } from "../events/record-events";
import { lockMessageOrder } from "../messages/message.entity";
import { failDecision } from "./complete-decision";
import { DECISION_LANE, Decision, DecisionState, type Situation } from "./decision.entity";
import type { Assumptions } from "./decision.inputs";
import { MODEL_TOKENS } from "./decision.metrics";
import type { DecisionSteps } from "./decision-steps";
import type { Dependencies } from "./effects/application";
import type { ExplanationError, ModelRequest } from "./explanation";
import { type Answer } from "./model/asking";
import { type Described, participantsOf } from "./model-request-state";
import { findParticipants, type ParticipantReference, type Participants } from "./participants";
import { agentOf, lockPending, newDecision, updatesTo } from "./pending-decision";
import type { Against } from "./replay";
import { forget } from "./rule-matches";
import { takeSnapshot } from "./snapshot";
import { inTurns, type WaveUnit } from "./wave";

export interface Trial {
  /** The configuration to use instead of the live one. */
  against: Against | undefined;
  as: Assumptions | undefined;
}

/** A situation to decide about, and the caller that submitted it. */
export interface DecisionRequest extends ParticipantReference {
  context: RequestContext;
  situation: Situation;
  now: Timestamp;
  trial?: Trial | undefined;
}

/** A stored decision to make, with the model's answer if a model was called. */
export interface DueDecision extends Described {
  id: string;
  answer?: Answer | undefined;
}

/** A request whose situation has been validated against the configuration used for the decision. */
type Declared = DecisionRequest & Against;

/** Makes decisions, each in the transaction that applies its effects. */
export class DecisionMaker {
  constructor(
    private readonly dependencies: Dependencies,
    private readonly compiledConfigurations: CompiledConfigurations,
    private readonly steps: DecisionSteps,
  ) {}

  /**
   * Decides what agents do in situations, applies the effects, and stores the decisions. Decisions about the
   * same contact are made one by one, all others concurrently. Decisions that require a model call are only
   * stored; a deliverer makes them later.
   * @returns for each request, its decision or the error that rejected it before anything was stored: an
   *   InvalidInput with paths that start at `situation`, or an error from `findParticipants` or `applyEffects`
   * @throws GatewayError if a request is rejected after something was stored for it; this aborts the transaction
   */
  async decide(tx: Tx, requests: readonly DecisionRequest[]): Promise<(Decision | GatewayError)[]> {
    const declared = await eachAccepted(requests, async (each) => {
      const used: Against = each.trial?.against ?? (await this.compiledConfigurations.live(tx, each.agentId));
      // Validates the situation before creating a contact for it.
      readSituation(used.configuration, each.situation);
      return { ...each, ...used };
    });
    const nameless = accepted(declared).filter(
      ({ contact, conversationId }) => contact == null && conversationId == null,
    );
    const defaultRefs = new Map(
      nameless.flatMap(({ agentId, configuration: { document } }) =>
        document.defaultContact == null ? [] : [[agentId, document.defaultContact] as const],
      ),
    );
    const sharing = new Set(
      nameless.flatMap(({ agentId, configuration }) => (configuration.sharesState ? [agentId] : [])),
    );
    await lockSubjects(
      tx,
      [...sharing].map((agentId) => ({ agentId, contactId: null })),
    );
    const find = (about: typeof declared) =>
      findParticipants(tx, about, defaultRefs, this.dependencies.consents);
    const decisions = await inTurns(declared, await find(declared), {
      subjectOf: (about, i) => {
        if (about instanceof GatewayError) return undefined;
        const { agentId } = requests[i] as DecisionRequest;
        return about.subjectId ?? (sharing.has(agentId) ? agentId : undefined);
      },
      again: find,
      lock: () => lockMessageOrder(tx, requests),
      run: (i, about, unit) => this.decideOne(tx, declared[i] as Declared | GatewayError, about, unit),
    });
    const stored = accepted(decisions);
    const deciding = stored.filter(({ state }) => state === DecisionState.deciding);
    const lanes = deciding.map(({ id, agentId }) => ({ id, agentId, kind: DECISION_LANE }));
    recordEvents(tx, [], [...this.dependencies.lanes.adding(tx, lanes), ...insertsOf(tx, Decision, stored)]);
    return decisions;
  }

  private async decideOne(
    tx: Tx,
    declared: Declared | GatewayError,
    participants: Participants | GatewayError,
    unit: WaveUnit,
  ): Promise<Decision> {
    if (declared instanceof GatewayError) throw declared;
    if (participants instanceof GatewayError) throw participants;
    const { context, agentId, version, configuration, trial } = declared;
    const now = trial?.as?.now == null ? declared.now : timestampOf(trial.as.now.getTime());
    const { type, data } = declared.situation;
    unit.hasStored = participants.isNew === true;
    const situation = { type, data };
    const { caller } = context;
    const agent = caller.kind === "agent" ? caller.agent : await agentOf(tx, agentId);
    const snapshot = await takeSnapshot(tx, participants, {
      agent,
      configuration,
      situation,
      now,
      assumed: trial?.as?.contact ?? undefined,
    });
    const decision = newDecision(tx, {
      agentId,
      contactId: participants.contact?.id ?? null,
      conversationId: participants.conversation?.id ?? null,
      situation,
      situationKey: configuration.keyOf(situation),
      snapshot,
      // The version is null only in dry runs, whose decisions are not stored.
      configurationVersion: version as number,
      createdAt: now,
    });
    const decisionContext = { context, participants, configuration, unit };
    await this.steps.decideByRules(tx, decision, snapshot, decisionContext);
    return decision;
  }

  /**
   * Makes stored decisions the way `decide` does, unless another process has made them. A decision has no
   * effects if its organization was deactivated, its contact was erased, its conversation was closed, or the
   * conversation changed during a model call.
   * @returns the rejection of each decision that could not be made; see `applyEffects` and
   *   `DecisionSteps.resume`
   * @throws GatewayError like `decide`
   */
  async resume(tx: Tx, due: readonly DueDecision[]): Promise<(GatewayError | undefined)[]> {
    const participants = await participantsOf(tx, due);
    const decisions = await lockPending(
      tx,
      due.map(({ id }) => id),
    );
    const outcomes = await inTurns(due, participants, {
      subjectOf: ({ subjectId }) => subjectId,
      again: (some) => participantsOf(tx, some),
      lock: () => lockMessageOrder(tx, due),
      run: async (i, about, unit) => {
        const { id, answer } = due[i] as DueDecision;
        this.countTokens(tx, answer?.request);
        const decision = decisions.get(id);
        // A batch may contain the same decision twice, if its lease expired while it waited.
        if (decision?.state !== DecisionState.deciding) return undefined;
        await this.steps.resume(tx, { decision, agent: decision.agent as Agent, answer }, about, unit);
        return decision;
      },
    });
    const stored = accepted(outcomes).flatMap((decision) => decision ?? []);
    const decided = stored.filter(({ state }) => state === DecisionState.decided);
    const ending = this.dependencies.lanes.ending(decided.map(({ id }) => id));
    await changeTogether(tx, [...updatesTo(tx, stored), ...ending]);
    return outcomes.map((outcome) => (outcome instanceof GatewayError ? outcome : undefined));
  }

  private countTokens(tx: Tx, { inputTokens, outputTokens }: Partial<ModelRequest> = {}): void {
    const observer = this.dependencies.lanes.observing(tx);
    if (inputTokens != null) observer.count(MODEL_TOKENS, ["input"], inputTokens);
    if (outputTokens != null) observer.count(MODEL_TOKENS, ["output"], outputTokens);
  }

  /** Marks a stored decision as failed, unless another process has made it. */
  async fail(tx: Tx, id: string, error: ExplanationError): Promise<void> {
    const decision = (await lockPending(tx, [id])).get(id);
    if (decision === undefined) return;
    const { agentId, configurationVersion: version } = decision;
    if (decision.basis !== null)
      await forget(tx, decision, await this.compiledConfigurations.at(tx, agentId, version));
    failDecision(tx, this.dependencies.lanes, decision, error);
    recordEvents(tx, [], updatesTo(tx, [decision]));
  }
}
