import type { EntityManager } from "typeorm";
import { v7 as uuid } from "uuid";
import type { RequestContext } from "../../auth/context";
import type { Timestamp } from "../../common/time";
import type { Database } from "../../database/database";
import type { Lanes } from "../../delivery/lanes";
import { DeciderKind } from "../configuration/decider";
import { type DecisionInput, otherwise } from "../configuration/document/evaluate";
import type { Playbook } from "../configuration/document/playbook";
import type { Playbooks } from "../configuration/playbooks";
import type { AgentQueues } from "../messages/agent-queues";
import { applyEffects } from "./apply-effects";
import { Decision, DecisionOutcome, DecisionState, type Situation } from "./decision.entity";
import type { EffectExplanation } from "./explanation";
import { findParties, type Named, type Parties } from "./parties";
import { type Plan, plan } from "./plan";
import { recordMatches, takeSnapshot } from "./snapshot";

/** A situation that is handed to an agent. */
export interface Handed extends Named {
  situation: Situation;
  now: Timestamp;
}

/** Makes decisions, each in the transaction that does what it says. */
export class DecisionMaker {
  constructor(
    private readonly database: Database,
    private readonly lanes: Lanes,
    private readonly playbooks: Playbooks,
    private readonly queues: AgentQueues,
  ) {}

  /**
   * Decides what an agent does in a situation, does it, and stores the decision.
   * @throws InvalidInput with paths from `situation`; GatewayError as `findParties` and `applyEffects`
   */
  async decide(
    tx: EntityManager,
    context: RequestContext,
    agentId: string,
    { situation: { type, data }, now, ...named }: Handed,
  ): Promise<Decision> {
    const parties = await findParties(this.database, tx, context, agentId, named);
    const { version, playbook } = await this.playbooks.live(tx, agentId);
    const snapshot = await takeSnapshot(tx, agentId, parties, { playbook, type, now });
    const input = { situation: { type, data }, ...snapshot };
    const planned = plan(playbook, input);
    const decision = tx.create(Decision, {
      id: uuid(),
      agentId,
      contactId: parties.contact?.id ?? null,
      conversationId: parties.conversation?.id ?? null,
      situation: { type, data },
      snapshot,
      configurationVersion: version,
      decider: DeciderKind.rules,
      state: DecisionState.deciding,
      outcome: null,
      ruleId: planned.ruleId,
      effects: planned.effects,
      explanation: null,
      createdAt: now,
      decidedAt: null,
    });
    await this.apply(tx, context, decision, {
      parties,
      playbook,
      planned: withoutModel(playbook, input, planned),
    });
    await tx.insert(Decision, decision as object);
    return decision;
  }

  /** Does what a decision says, and completes it in memory. */
  private async apply(
    tx: EntityManager,
    context: RequestContext,
    decision: Decision,
    { parties, playbook, planned }: { parties: Parties; playbook: Playbook; planned: Plan },
  ): Promise<void> {
    const { database, lanes, queues } = this;
    const { agentId, id: decisionId, createdAt: now } = decision;
    const { effects, conversation } = await applyEffects(tx, planned.effects, {
      database,
      lanes,
      queues,
      context,
      agentId,
      decisionId,
      parties,
    });
    const { gates, rules } = planned;
    await recordMatches(tx, playbook, decision.situation.type, {
      matched: new Set(rules.flatMap(({ id, matched }) => (matched ? id : []))),
      subjects: { contact: parties.contact?.id, conversation: conversation?.id },
      now,
    });
    Object.assign(decision, {
      conversationId: conversation?.id ?? null,
      state: DecisionState.decided,
      outcome: outcomeOf(effects),
      explanation: { version: decision.configurationVersion, now, gates, rules, effects },
      decidedAt: now,
    });
  }
}

/** A plan in which `otherwise` takes the place of the model, because there is none. */
function withoutModel(playbook: Playbook, input: DecisionInput, planned: Plan): Plan {
  const isAsk = ({ kind, error }: Plan["effects"][number]) => kind === "ask" && error === null;
  if (!planned.effects.some(isAsk)) return planned;
  const failed = planned.effects.map((effect) => (isAsk(effect) ? { ...effect, error: NO_MODEL } : effect));
  const instead = otherwise(playbook, input).filter(({ kind }) => kind !== "ask");
  return { ...planned, effects: [...failed, ...instead] };
}

const NO_MODEL = { code: "no_model", message: "No model is configured." } as const;

function outcomeOf(effects: readonly EffectExplanation[]): DecisionOutcome {
  const isDone = (wanted: string) => effects.some(({ kind, status }) => kind === wanted && status === "done");
  if (isDone("handoff")) return DecisionOutcome.handoff;
  return isDone("send") ? DecisionOutcome.send : DecisionOutcome.silent;
}
