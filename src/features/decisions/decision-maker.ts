import { In } from "typeorm";
import { v7 as uuid } from "uuid";
import { ownerOf } from "../../auth/caller";
import { type RequestContext, systemFor } from "../../auth/context";
import { indexBy } from "../../common/coalesce";
import { type Timestamp, timestamp, timestampOf } from "../../common/time";
import { type Change, changeTogether } from "../../database/change-together";
import { accepted, coalesceKeysInTx, eachAccepted } from "../../database/coalesce-in-tx";
import { insertsOf } from "../../database/insert-all";
import { lockRows } from "../../database/lock-rows";
import type { Tx } from "../../database/unit-of-work";
import { updatesOf } from "../../database/updates-of";
import { GatewayError, noSuch } from "../../errors";
import { Agent } from "../agents/agent.entity";
import type { CompiledConfigurations } from "../configuration/compiled-configurations";
import { DeciderKind } from "../configuration/decider";
import type { CompiledConfiguration } from "../configuration/document/compiled-configuration";
import type { Effect } from "../configuration/document/effect";
import { type DecisionInput, readSituation } from "../configuration/document/read-situation";
import { MESSAGE_RECEIVED } from "../configuration/document/shapes";
import { lockContacts } from "../contacts/known-contact";
import { Conversation, ConversationState } from "../conversations/conversation.entity";
import { recordEvents } from "../events/record-events";
import { MESSAGE_ORDER } from "../messages/message.entity";
import type { Organization } from "../organizations/organization.entity";
import { Timer } from "../timers/timer.entity";
import { TIMERS } from "../timers/timer.metrics";
import { takeDue } from "../timers/waiting-timers";
import { applyEffects } from "./apply-effects";
import { DECISION_LANE, Decision, DecisionOutcome, DecisionState, type Situation } from "./decision.entity";
import type { Assumptions } from "./decision.inputs";
import { DECISIONS, EFFECTS, MODEL_TOKENS, NO_ERROR } from "./decision.metrics";
import { decisionEvent } from "./decision-events";
import type { ModelRequestState, Snapshot } from "./decision-record";
import type { Application, Dependencies } from "./effects/application";
import { explain } from "./effects/explain-effect";
import type {
  EffectExplanation,
  EffectStatus,
  Explanation,
  ExplanationError,
  GateExplanation,
  ModelRequest,
} from "./explanation";
import { isLoop, LOOP_ERROR, recountAnswers, reportLoop } from "./loop";
import { type Answer, askIn, NO_MODEL, withAnswer } from "./model/asking";
import { type Described, modelRequestStateOf, obstacleTo, participantsOf } from "./model-request-state";
import { findParticipants, type ParticipantReference, type Participants } from "./participants";
import { pendingDecision } from "./pending-decision";
import { isHandedOff, type Plan, planInSteps } from "./plan";
import type { Planning } from "./planning";
import type { Against } from "./replay";
import { forgetMatches, type Matches, recordMatches, takeSnapshot } from "./snapshot";
import { inTurns, type WaveUnit } from "./wave";

/** The configuration and the assumptions of a dry run. */
export interface Trial {
  /** The configuration to use instead of the live one. */
  against: Against | undefined;
  as: Assumptions | undefined;
}

/** A situation to decide, with its caller. */
export interface DecisionRequest extends ParticipantReference {
  context: RequestContext;
  situation: Situation;
  now: Timestamp;
  trial?: Trial | undefined;
}

/** A stored decision to make, with the model's answer if it was asked. */
export interface DueDecision extends Described {
  id: string;
  answer?: Answer | undefined;
}

/** A timer that is due. */
export type DueTimer = Pick<Timer, "id" | "agentId" | "contactId">;

/** A decision to make in the background, with the agent and its organization. */
interface Resumed {
  decision: Decision;
  agent: Agent;
  answer?: Answer | undefined;
}

/** A request whose situation is valid for the live configuration. */
type Declared = DecisionRequest & Against;

/** The inputs of a decision besides its situation. */
interface DecisionContext {
  context: RequestContext;
  participants: Participants;
  configuration: CompiledConfiguration;
  unit: WaveUnit;
}

/** Makes decisions, each in the transaction that applies its effects. */
export class DecisionMaker {
  constructor(
    private readonly dependencies: Dependencies,
    private readonly compiledConfigurations: CompiledConfigurations,
    private readonly hasModel: boolean,
    private readonly planning: Planning,
  ) {}

  /**
   * Decides what agents do in situations, applies the effects, and stores the decisions. Decisions about the same
   * contact are made one by one, all others concurrently. Decisions that ask a model are only stored; a deliverer makes
   * them.
   * @returns each decision, or its rejection, for which nothing is stored: an InvalidInput with paths from `situation`,
   *   or see `findParticipants` and `applyEffects`
   * @throws GatewayError a rejection after something was stored, which ends the transaction
   */
  async decide(tx: Tx, requests: readonly DecisionRequest[]): Promise<(Decision | GatewayError)[]> {
    const declared = await eachAccepted(requests, async (each) => {
      const used: Against = each.trial?.against ?? (await this.compiledConfigurations.live(tx, each.agentId));
      // Before a contact is created for the situation.
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
    const participants = await findParticipants(tx, declared, defaultRefs, this.dependencies.consents);
    const decisions = await inTurns(participants, {
      subjectOf: (about) => (about instanceof GatewayError ? undefined : about.subjectId),
      again: (turn) =>
        findParticipants(
          tx,
          turn.map((i) => declared[i] as Declared | GatewayError),
          defaultRefs,
          this.dependencies.consents,
        ),
      lock: () => lockOrder(tx, requests),
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
    const decision = tx.create(Decision, {
      id: uuid(),
      agentId,
      contactId: participants.contact?.id ?? null,
      conversationId: participants.conversation?.id ?? null,
      snapshot,
      // Null only in dry runs, which are not stored.
      configurationVersion: version as number,
      createdAt: now,
      ...pendingDecision(situation, configuration.keyOf(situation)),
    });
    const decisionContext = { context, participants, configuration, unit };
    await this.decideByRules(tx, decision, snapshot, decisionContext);
    return decision;
  }

  /**
   * Makes stored decisions like `decide`, unless another process has made them. A decision has no effects if its
   * contact was erased, its conversation was closed, or the conversation changed while a model was asked. Without an
   * answer, a decision that asks the model stays unchanged.
   * @returns the rejection of each decision that could not be made; see `applyEffects`
   * @throws GatewayError like `decide`
   */
  async resume(tx: Tx, due: readonly DueDecision[]): Promise<(GatewayError | undefined)[]> {
    const participants = await participantsOf(tx, due);
    const decisions = await lockPending(
      tx,
      due.map(({ id }) => id),
    );
    const outcomes = await inTurns(participants, {
      subjectOf: ({ subjectId }) => subjectId,
      again: (turn) =>
        participantsOf(
          tx,
          turn.map((i) => due[i] as DueDecision),
        ),
      lock: () => lockOrder(tx, due),
      run: async (i, about, unit) => {
        const { id, answer } = due[i] as DueDecision;
        this.countTokens(tx, answer?.request);
        const decision = decisions.get(id);
        // A batch may contain the same decision twice, if its lease expired while it waited.
        if (decision?.state !== DecisionState.deciding) return undefined;
        await this.resumeOne(tx, { decision, agent: decision.agent as Agent, answer }, about, unit);
        return decision;
      },
    });
    const stored = accepted(outcomes).flatMap((decision) => decision ?? []);
    const decided = stored.filter(({ state }) => state === DecisionState.decided);
    const ending = this.dependencies.lanes.ending(decided.map(({ id }) => id));
    await changeTogether(tx, [...updatesTo(tx, stored), ...ending]);
    return outcomes.map((outcome) => (outcome instanceof GatewayError ? outcome : undefined));
  }

  /**
   * Hands the situations of due timers to their agents, unless the timers were canceled or replaced. Taking the timers
   * and deciding is one transaction, which holds the locks of the contacts: what cancels a timer comes before or after.
   * @param failure why the decisions cannot be made
   * @throws GatewayError like `decide`
   */
  async fire(tx: Tx, due: readonly DueTimer[], failure?: ExplanationError): Promise<void> {
    const all = { id: In(due.map(({ id }) => id)) };
    const contacts = await lockContacts(
      tx,
      due.flatMap(({ contactId }) => contactId ?? []),
    );
    const timers = await tx.findBy(Timer, all);
    const taken = await takeDue(tx, timers);
    const fired = (
      await Promise.all(
        timers.map(async (timer) => {
          // Nothing more may be stored about an erased contact.
          const isErased = contacts.get(timer.contactId ?? "")?.erasedAt != null;
          const isTaken = taken.has(timer.id) && !isErased;
          const agent = isTaken ? await agentById(tx, timer.agentId) : undefined;
          return agent === undefined ? [] : [{ timer, agent }];
        }),
      )
    ).flat();
    const conversations = await conversationsOf(tx, timers);
    const about = fired.map(({ timer }) => describe(timer, conversations.get(timer.conversationId ?? "")));
    const decisions: Decision[] = [];
    for (const [i, { timer }] of fired.entries())
      decisions.push(await this.timed(tx, timer, about[i] as Described));
    const results = await inTurns(await participantsOf(tx, about), {
      subjectOf: ({ subjectId }) => subjectId,
      again: (turn) =>
        participantsOf(
          tx,
          turn.map((i) => about[i] as Described),
        ),
      lock: () => lockOrder(tx, about),
      run: async (i, participants, unit) => {
        const decision = decisions[i] as Decision;
        const { agent } = fired[i] as (typeof fired)[number];
        if (failure !== undefined) throw new GatewayError("internal_error", failure.message);
        await this.resumeOne(tx, { decision, agent }, participants, unit);
      },
    });
    for (const [i, result] of results.entries())
      if (result instanceof GatewayError) this.failOne(tx, decisions[i] as Decision, failure ?? result);
    const { lanes } = this.dependencies;
    const deciding = decisions.filter(({ state }) => state === DecisionState.deciding);
    const added = deciding.map(({ id, agentId }) => ({ id, agentId, kind: DECISION_LANE }));
    lanes.observing(tx).count(TIMERS, ["fired"], fired.length);
    const ended = lanes.ending([...taken]);
    recordEvents(tx, [], [...ended, ...lanes.adding(tx, added), ...insertsOf(tx, Decision, decisions)]);
  }

  /** The pending decision about a timer's situation. */
  private async timed(
    tx: Tx,
    { id: timerId, agentId, situationType: type, data }: Timer,
    { contactId, conversationId }: Described,
  ): Promise<Decision> {
    const { version, configuration } = await this.compiledConfigurations.live(tx, agentId);
    const situation = { type, data };
    return tx.create(Decision, {
      ...pendingDecision(situation, configuration.keyOf(situation)),
      id: uuid(),
      agentId,
      contactId,
      conversationId,
      timerId,
      configurationVersion: version,
      snapshot: null,
      createdAt: timestamp(),
    });
  }

  private countTokens(tx: Tx, { inputTokens, outputTokens }: Partial<ModelRequest> = {}): void {
    const observer = this.dependencies.lanes.observing(tx);
    if (inputTokens != null) observer.count(MODEL_TOKENS, ["input"], inputTokens);
    if (outputTokens != null) observer.count(MODEL_TOKENS, ["output"], outputTokens);
  }

  private async resumeOne(
    tx: Tx,
    { decision, agent, answer }: Resumed,
    participants: Participants,
    unit: WaveUnit,
  ): Promise<void> {
    const { agentId, situation } = decision;
    const context = systemFor(agent.organization as Organization);
    const obstacle = obstacleTo(decision, participants) ?? closedBy(context);
    const configuration = await this.compiledConfigurations.at(tx, agentId, decision.configurationVersion);
    if (answer !== undefined) await recountAnswers(tx, decision, participants.conversation);
    const { snapshot } = decision;
    const planned = snapshot && (await this.plan(context, configuration, { situation, ...snapshot }));
    const decisionContext = { context, participants, configuration, unit };
    const model = answer?.request;
    if (obstacle !== undefined) await this.abandon(tx, decision, obstacle, { configuration, planned, model });
    else if (snapshot === null || planned === null) {
      const snapshotContext = { agent, configuration, situation, now: timestamp() };
      decision.snapshot = await takeSnapshot(tx, participants, snapshotContext);
      await this.decideByRules(tx, decision, decision.snapshot, decisionContext);
    } else if (answer !== undefined) {
      const answered = withAnswer(configuration, { situation, ...snapshot }, planned, answer);
      await this.apply(tx, decision, snapshot, {
        ...decisionContext,
        planned: answered,
        asked: { status: "done" },
        model,
      });
    }
  }

  /** Completes a decision that can no longer be made. */
  private async abandon(
    tx: Tx,
    decision: Decision,
    obstacle: GateExplanation,
    {
      configuration,
      planned,
      model,
    }: { configuration: CompiledConfiguration; planned: Plan | null; model: ModelRequest | undefined },
  ): Promise<void> {
    await forget(tx, decision, configuration);
    const { configurationVersion: version, snapshot, createdAt } = decision;
    const explanation = {
      version,
      now: snapshot?.now ?? createdAt,
      gates: [...(planned?.gates ?? []), obstacle],
      rules: planned?.rules ?? [],
      effects: (planned?.effects ?? []).map((effect) => explain(effect)),
      ...(model && { model }),
    };
    // Nothing more may be stored about an erased contact.
    const isErased = obstacle.name === "contact";
    this.complete(tx, decision, DecisionOutcome.stale, isErased ? null : explanation);
  }

  /** Ends a stored decision that cannot be made, unless another process has made it. */
  async fail(tx: Tx, id: string, error: ExplanationError): Promise<void> {
    const decision = (await lockPending(tx, [id])).get(id);
    if (decision === undefined) return;
    const { agentId, configurationVersion: version } = decision;
    if (decision.basis !== null)
      await forget(tx, decision, await this.compiledConfigurations.at(tx, agentId, version));
    this.failOne(tx, decision, error);
    recordEvents(tx, [], updatesTo(tx, [decision]));
  }

  /** Fails a decision in memory. */
  private failOne(tx: Tx, decision: Decision, { code, message }: ExplanationError): void {
    const { configurationVersion: version, createdAt: now } = decision;
    Object.assign(decision, {
      state: DecisionState.failed,
      explanation: { version, now, error: { code, message }, gates: [], rules: [], effects: [] },
      decidedAt: timestamp(),
    });
    this.dependencies.lanes.observing(tx).count(DECISIONS, [decision.decider, decision.state]);
    recordEvents(tx, [decisionEvent(decision)]);
  }

  /** Decides by the rules, and applies the effects unless they ask a model. */
  private async decideByRules(
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
    const mayAsk = !isLoop(planned.gates) && !isHandedOff(planned.gates);
    const asks = mayAsk && askIn(planned.effects) !== undefined;
    if (asks && this.hasModel) decision.decider = DeciderKind.model;
    if (!asks) await this.apply(tx, decision, snapshot, { ...decisionContext, planned, tags });
    else if (!this.hasModel) {
      const instead = withAnswer(configuration, input, planned, NO_MODEL);
      await this.apply(tx, decision, snapshot, { ...decisionContext, planned: instead, tags });
    } else if (tx.isDryRun)
      await this.apply(tx, decision, snapshot, { ...decisionContext, planned, tags, asked: NOT_ASKED });
    else {
      decision.basis = await modelRequestStateOf(tx, participants);
      // Recorded now, so that the rule does not match again while the model is working.
      await recordMatches(tx, matchesOf(decision, configuration, snapshot, matchedIn(planned)));
    }
  }

  private plan(
    { caller }: RequestContext,
    configuration: CompiledConfiguration,
    input: DecisionInput,
  ): Promise<Plan> {
    return this.planning.run(ownerOf(caller) ?? "", planInSteps(configuration, input));
  }

  /** Applies the effects of a decision, and completes it in memory. */
  private async apply(
    tx: Tx,
    decision: Decision,
    snapshot: Snapshot,
    {
      context,
      participants,
      configuration,
      planned,
      asked,
      tags,
      model,
      unit,
    }: DecisionContext & { planned: Plan; model?: ModelRequest | undefined } & Pick<
        Application,
        "asked" | "tags"
      >,
  ): Promise<void> {
    const { agentId, id: decisionId, situation } = decision;
    // Read before the effects, which may move the conversation.
    const addressId = participants.conversation?.addressId;
    const isAnswer = situation.type === MESSAGE_RECEIVED;
    const { policy } = configuration;
    const { contact } = snapshot;
    const isBound = policy !== undefined && contact !== null && !isAnswer;
    const application = {
      ...this.dependencies,
      context,
      agentId,
      decisionId,
      participants,
      asked,
      tags,
      isAnswer,
      bound: isBound ? { policy, timezone: contact.timezone } : undefined,
      // A dry run may assume another time.
      now: tx.isDryRun ? (snapshot.now as Timestamp) : timestamp(),
      isTimed: decision.timerId !== null,
      gates: planned.gates,
      isOptedOut: snapshot.isOptedOut === true,
      isUndeliverable: snapshot.isUndeliverable === true,
    };
    const { effects, conversation } = await applyEffects(tx, planned.effects, application, unit);
    const { gates, rules } = planned;
    const matched = inEffect(planned, effects);
    if (decision.basis !== null) {
      const without = ruleIdsOf(planned.effects).filter((id) => !matched.has(id));
      await forgetMatches(tx, matchesOf(decision, configuration, snapshot, new Set(without)));
    }
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
    this.complete(tx, decision, outcomeOf(effects), explanation);
  }

  private complete(
    tx: Tx,
    decision: Decision,
    outcome: DecisionOutcome,
    explanation: Explanation | null,
  ): void {
    const effects = explanation?.effects ?? [];
    Object.assign(decision, {
      state: DecisionState.decided,
      outcome,
      explanation,
      failedEffects: effects.filter(hasStatus("failed")).length,
      decidedAt: timestamp(),
    });
    const observer = this.dependencies.lanes.observing(tx);
    observer.count(DECISIONS, [decision.decider, outcome]);
    for (const { kind, status, error } of effects)
      observer.count(EFFECTS, [kind, status, error?.code ?? NO_ERROR]);
    recordEvents(tx, [decisionEvent(decision)]);
  }
}

/** The conversations of timers whose contacts are locked, which keeps their states as they are. */
async function conversationsOf(tx: Tx, timers: readonly Timer[]): Promise<Map<string, Conversation>> {
  const ids = timers.flatMap(({ conversationId }) => conversationId ?? []);
  const conversations = ids.length === 0 ? [] : await tx.findBy(Conversation, { id: In(ids) });
  return indexBy(conversations, ({ id }) => id);
}

/** The subjects of a timer's situation; after its conversation was closed, only the contact and its address. */
function describe(
  { agentId, contactId, isNamed }: Timer,
  conversation: Conversation | undefined,
): Described & { basis: ModelRequestState } {
  const isOpen = conversation?.state === ConversationState.open;
  return {
    agentId,
    contactId,
    conversationId: isOpen ? conversation.id : null,
    basis: { conversation: null, isNamed: isNamed && isOpen, addressId: conversation?.addressId ?? null },
  };
}

/** A deactivated organization makes no decisions. */
const closedBy = ({ caller }: SystemContext): GateExplanation | undefined =>
  caller.organization.deactivatedAt === null ? undefined : { name: "organization", passed: false };

type SystemContext = ReturnType<typeof systemFor>;

/** Blocks other messages of the agents, so that they follow the messages of the decisions. */
const lockOrder = (tx: Tx, about: readonly { agentId: string }[]): Promise<void> =>
  tx.lockInsertOrder(
    MESSAGE_ORDER,
    about.map(({ agentId }) => agentId),
  );

/**
 * Locks pending decisions after their participants, and reads their agents and organizations; skips decisions that were
 * already made.
 */
const lockPending = (tx: Tx, ids: readonly string[]): Promise<Map<string, Decision>> => {
  const query = tx
    .createQueryBuilder(Decision, "decision")
    .innerJoinAndSelect("decision.agent", "agent")
    .innerJoinAndSelect("agent.organization", "organization");
  return lockRows(tx, query.where({ id: In([...ids]), state: DecisionState.deciding }));
};

/**
 * An agent by ID, with its organization.
 * @throws GatewayError `not_found`
 */
async function agentOf(tx: Tx, id: string): Promise<Agent> {
  const agent = await agentById(tx, id);
  if (agent === undefined) throw noSuch("agent");
  return agent;
}

const agentById = coalesceKeysInTx(async (tx: Tx, ids) => {
  const agents = tx
    .createQueryBuilder(Agent, "agent")
    .innerJoinAndSelect("agent.organization", "organization");
  return indexBy(await agents.where({ id: In(ids) }).getMany(), ({ id }) => id);
});

/** The matches of rules in a decision about its current contact and conversation. */
const matchesOf = (
  { agentId, situation, contactId, conversationId }: Decision,
  configuration: CompiledConfiguration,
  snapshot: Snapshot,
  ruleIds: ReadonlySet<string>,
): Matches => ({
  configuration,
  input: { situation, ...snapshot },
  subjects: { agent: agentId, contact: contactId ?? undefined, conversation: conversationId ?? undefined },
  ruleIds,
});

/** Forgets the matches that were recorded when a decision asked a model, because it has no effects. */
async function forget(tx: Tx, decision: Decision, configuration: CompiledConfiguration): Promise<void> {
  const { basis, snapshot, effects } = decision;
  if (basis === null || snapshot === null) return;
  await forgetMatches(tx, matchesOf(decision, configuration, snapshot, new Set(ruleIdsOf(effects))));
}

/** The rules with effects. */
const ruleIdsOf = (effects: readonly Effect[]): string[] => [
  ...new Set(effects.flatMap(({ ruleId }) => ruleId ?? [])),
];

/**
 * The rules that count for `once`: at least one of their effects was applied, or there was nothing to change. Asking a
 * model counts only if the model chose to do nothing.
 */
function inEffect(planned: Plan, effects: readonly EffectExplanation[]): ReadonlySet<string> {
  const matched = [...matchedIn(planned)].filter((id) => {
    const own = effects.filter(({ ruleId }) => ruleId === id);
    if (own.length === 0) return !isHandedOff(planned.gates);
    const chosen = own.filter((effect) => !wasAsked(effect));
    const counted = chosen.length === 0 ? own : chosen;
    return counted.some(hasStatus("done")) || counted.every(hasStatus("unchanged"));
  });
  return new Set(matched);
}

/** The rules that match, except those whose messages a loop holds back. */
const matchedIn = ({ rules, gates }: Plan): ReadonlySet<string> =>
  new Set(isLoop(gates) ? [] : rules.flatMap(({ id, matched }) => (matched ? id : [])));

const wasLoop = ({ error }: EffectExplanation): boolean => error?.code === LOOP_ERROR.code;

/** The changes to decisions that are already stored. */
const updatesTo = (tx: Tx, decisions: readonly Decision[]): Change[] =>
  updatesOf(tx, Decision, decisions, [
    "conversationId",
    "snapshot",
    "decider",
    "state",
    "outcome",
    "ruleId",
    "failedEffects",
    "effects",
    "basis",
    "explanation",
    "decidedAt",
  ]);

const NOT_ASKED = {
  status: "skipped",
  error: { code: "dry_run", message: "A dry run does not ask the model." },
} as const;

function outcomeOf(effects: readonly EffectExplanation[]): DecisionOutcome {
  const isDone = (wanted: string) => effects.some(({ kind, status }) => kind === wanted && status === "done");
  if (isDone("handoff")) return DecisionOutcome.handoff;
  if (isDone("send")) return DecisionOutcome.send;
  const isInEffect = hasStatus("done", "unchanged");
  return effects.some(hasStatus("failed")) &&
    !effects.some((effect) => isInEffect(effect) && !wasAsked(effect))
    ? DecisionOutcome.failed
    : DecisionOutcome.silent;
}

/** True for a question that a model answered; the answer's effects are listed after it. */
const wasAsked = ({ kind, status }: EffectExplanation): boolean => kind === "ask" && status === "done";

const hasStatus =
  (...statuses: readonly EffectStatus[]) =>
  ({ status }: EffectExplanation): boolean =>
    statuses.includes(status);
