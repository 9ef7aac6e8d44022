// One class, because a decision with and without a model's answer ends in the same steps.

import { ownerOf } from "../../auth/caller";
import { type RequestContext, systemFor } from "../../auth/context";
import { type Timestamp, timestamp } from "../../common/time";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError } from "../../errors";
import { Agent } from "../agents/agent.entity";
import type { CompiledConfigurations } from "../configuration/compiled-configurations";
import { DeciderKind } from "../configuration/decider";
import type { CompiledConfiguration } from "../configuration/document/compiled-configuration";
import { type DecisionInput } from "../configuration/document/read-situation";
import { MESSAGE_FAILED, MESSAGE_RECEIVED } from "../configuration/document/shapes";
import type { Organization } from "../organizations/organization.entity";
import { applyEffects } from "./apply-effects";
import { completeDecision } from "./complete-decision";
import { Decision, DecisionOutcome } from "./decision.entity";
import type { Snapshot } from "./decision-record";
import type { Application, Dependencies } from "./effects/application";
import { explain } from "./effects/explain-effect";
import type { EffectExplanation, GateExplanation, ModelRequest } from "./explanation";
import { recountAnswers, reportLoop } from "./loop";
import { LOOP_ERROR } from "./loop-gate";
import { type Answer, askIn, NO_MODEL, NOT_ASKED, withAnswer } from "./model/asking";
import { readHistory } from "./model/history";
import type { Ask } from "./model/proposal";
import { modelRequestStateOf, obstacleTo } from "./model-request-state";
import { outcomeOf } from "./outcome";
import { type Participants } from "./participants";
import { mayAsk, type Plan, planInSteps } from "./plan";
import type { Planning } from "./planning";
import { forget, inEffect, matchedIn, matchesOf, recordMatches } from "./rule-matches";
import { messageIdsOf, takeSnapshot } from "./snapshot";
import { type WaveUnit } from "./wave";

/** The inputs of a decision other than its situation. */
export interface DecisionContext {
  context: RequestContext;
  participants: Participants;
  configuration: CompiledConfiguration;
  unit: WaveUnit;
}

export interface Resumed {
  decision: Decision;
  agent: Agent;
  answer?: Answer | undefined;
}

/** The steps of making a decision, once its participants are locked. */
export class DecisionSteps {
  constructor(
    private readonly dependencies: Dependencies,
    private readonly compiledConfigurations: CompiledConfigurations,
    private readonly hasModel: boolean,
    private readonly planning: Planning,
  ) {}

  /**
   * Makes a stored decision; the transaction has locked its row.
   * @throws GatewayError `conflict` if the model has not answered yet
   */
  async resume(
    tx: Tx,
    { decision, agent, answer }: Resumed,
    participants: Participants,
    unit: WaveUnit,
  ): Promise<void> {
    const { agentId, situation } = decision;
    const organization = agent.organization as Organization;
    const context = systemFor(organization);
    const closed: GateExplanation | undefined =
      organization.deactivatedAt === null ? undefined : { name: "organization", passed: false };
    const obstacle = (await obstacleTo(tx, decision, participants)) ?? closed;
    const configuration = await this.compiledConfigurations.at(tx, agentId, decision.configurationVersion);
    if (answer !== undefined) await recountAnswers(tx, decision, participants.conversation);
    if (obstacle?.name !== "contact") recordAnswer(decision, answer);
    const { snapshot } = decision;
    const planned = snapshot && (await this.plan(context, configuration, { situation, ...snapshot }));
    const decisionContext = { context, participants, configuration, unit };
    const model = answer?.request;
    if (obstacle !== undefined) await this.abandon(tx, decision, obstacle, { configuration, planned, model });
    else if (snapshot === null || planned === null) {
      decision.conversationId = participants.conversation?.id ?? null;
      const snapshotContext = { agent, configuration, situation, now: timestamp() };
      decision.snapshot = await takeSnapshot(tx, participants, snapshotContext);
      await this.decideByRules(tx, decision, decision.snapshot, decisionContext);
    } else if (answer === undefined) {
      // The error delays the next attempt; an immediate one could start an endless loop.
      throw new GatewayError("conflict", "The decision is still waiting for the model's answer.");
    } else {
      await this.apply(tx, decision, snapshot, {
        ...decisionContext,
        planned: recordChosen(decision, configuration, planned, answer),
        asked: { status: "done" },
        model,
      });
    }
  }

  /** Completes, without effects, a decision that can no longer be made. */
  private async abandon(
    tx: Tx,
    decision: Decision,
    obstacle: GateExplanation,
    about: {
      configuration: CompiledConfiguration;
      planned: Plan<string> | null;
      model: ModelRequest | undefined;
    },
  ): Promise<void> {
    const { configuration, planned, model } = about;
    await forget(tx, decision, configuration);
    const { configurationVersion: version, snapshot, createdAt } = decision;
    const explanation = {
      version,
      now: snapshot?.now ?? createdAt,
      gates: [...(planned?.gates ?? []), obstacle],
      rules: planned?.rules ?? "[]",
      effects: (planned?.effects ?? []).map((effect) => explain(effect)),
      ...(model && { model }),
    };
    // No new data may be stored about an erased contact.
    const isErased = obstacle.name === "contact";
    completeDecision(
      tx,
      this.dependencies.lanes,
      decision,
      DecisionOutcome.stale,
      isErased ? null : explanation,
    );
  }

  /** Decides by the rules, and applies the effects unless they require a model call. */
  async decideByRules(
    tx: Tx,
    decision: Decision,
    snapshot: Snapshot,
    decisionContext: DecisionContext,
  ): Promise<void> {
    const { context, participants, configuration } = decisionContext;
    const tags = snapshot.contact?.tags;
    const input = { situation: decision.situation, ...snapshot };
    const planned = await this.plan(context, configuration, input);
    if (planned.formatted !== undefined) decision.snapshot = { ...snapshot, formatted: planned.formatted };
    decision.ruleId = planned.ruleId;
    decision.effects = planned.effects;
    const ask = mayAsk(planned.gates) ? askIn(planned.effects) : undefined;
    const asks = ask !== undefined;
    if (asks && this.hasModel) {
      decision.decider = DeciderKind.model;
      await recordHistory(tx, decision, ask, participants);
    }
    if (!asks) await this.apply(tx, decision, snapshot, { ...decisionContext, planned, tags });
    else if (!this.hasModel) {
      recordAnswer(decision, NO_MODEL);
      const instead = recordChosen(decision, configuration, planned, NO_MODEL);
      await this.apply(tx, decision, snapshot, { ...decisionContext, planned: instead, tags });
    } else if (tx.isDryRun)
      await this.apply(tx, decision, snapshot, { ...decisionContext, planned, tags, asked: NOT_ASKED });
    else {
      decision.basis = await modelRequestStateOf(tx, participants);
      // Recorded before the model call, so that no rule with `once` matches again during the call.
      await recordMatches(tx, matchesOf(decision, configuration, snapshot, matchedIn(planned)), true);
    }
  }

  private plan(
    { caller }: RequestContext,
    configuration: CompiledConfiguration,
    input: DecisionInput,
  ): Promise<Plan<string>> {
    return this.planning.run(ownerOf(caller) ?? "", planInSteps(configuration, input));
  }

  /** Applies the effects of a decision, and completes it in memory. */
  private async apply(
    tx: Tx,
    decision: Decision,
    snapshot: Snapshot,
    made: DecisionContext & { planned: Plan<string>; model?: ModelRequest | undefined } & Pick<
        Application,
        "asked" | "tags"
      >,
  ): Promise<void> {
    const { context, participants, configuration, planned, asked, tags, model, unit } = made;
    const { agentId, id: decisionId, situation } = decision;
    // Read before applying the effects, because they may move the conversation.
    const addressId = participants.conversation?.addressId;
    const isAnswer = situation.type === MESSAGE_RECEIVED;
    const { policy } = configuration;
    const { contact } = snapshot;
    const isBound = policy !== undefined && contact !== null && !isAnswer;
    const { lanes, consents, queues, defaultConversations } = this.dependencies;
    // Avoids a spread, because V8 is slow at building large objects from spreads.
    const application: Application = {
      lanes,
      consents,
      queues,
      defaultConversations,
      context,
      agentId,
      decisionId,
      participants,
      asked,
      tags,
      isAnswer,
      policy,
      bound: isBound ? { policy, timezone: contact.timezone } : undefined,
      // A dry run may assume a different time.
      now: tx.isDryRun ? (snapshot.now as Timestamp) : timestamp(),
      isChained: decision.timerId !== null || situation.type === MESSAGE_FAILED,
      gates: planned.gates,
      isOptedOut: snapshot.isOptedOut === true,
      isUndeliverable: snapshot.isUndeliverable === true,
    };
    const { effects, conversation } = await applyEffects(tx, planned.effects, application, unit);
    const { gates, rules } = planned;
    const matched = inEffect(planned, effects);
    await forget(tx, decision, configuration);
    if (conversation !== null && addressId !== undefined && effects.some(wasLoop))
      await reportLoop(tx, conversation, addressId, timestamp());
    decision.conversationId = conversation?.id ?? null;
    await recordMatches(tx, matchesOf(decision, configuration, snapshot, matched));
    const { now } = snapshot;
    const explanation = {
      version: decision.configurationVersion,
      now,
      gates,
      rules,
      effects,
      ...(model && { model }),
    };
    completeDecision(tx, lanes, decision, outcomeOf(effects), explanation);
  }
}

/** Adds the earlier messages for the model to a decision's snapshot. */
async function recordHistory(
  tx: Tx,
  decision: Decision,
  { history: count }: Ask,
  { conversation }: Participants,
): Promise<void> {
  const { snapshot, situation } = decision;
  if (count === undefined || conversation === null || snapshot === null) return;
  // Omits the messages that the situation is about, because the model receives them anyway.
  const except = snapshot.message === null ? [] : messageIdsOf(situation);
  const history = await readHistory(tx, { conversationId: conversation.id, count, except });
  decision.snapshot = { ...snapshot, model: { history } };
}

/** Adds the model's answer, or the reason why there is none, to a decision's snapshot. */
function recordAnswer(decision: Decision, answer: Answer | undefined): void {
  const { snapshot } = decision;
  if (snapshot === null || answer === undefined) return;
  const { text } = answer;
  const given = text !== undefined ? { answer: text } : "error" in answer && { error: answer.error };
  decision.snapshot = { ...snapshot, model: { ...snapshot.model, ...given } };
}

/** Returns a plan with an answer's effects, and records them, so that a replay can compare them. */
function recordChosen(
  decision: Decision,
  configuration: CompiledConfiguration,
  planned: Plan<string>,
  answer: Answer,
): Plan<string> {
  const { situation, snapshot } = decision;
  if (snapshot === null) return planned;
  const answered = withAnswer(configuration, { situation, ...snapshot }, planned, answer);
  const { effects, formatted } = answered;
  decision.effects = [...planned.effects, ...effects.slice(planned.effects.length)];
  if (formatted !== undefined) decision.snapshot = { ...snapshot, formatted };
  return answered;
}

const wasLoop = ({ error }: EffectExplanation): boolean => error?.code === LOOP_ERROR.code;
