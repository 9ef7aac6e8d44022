import { In } from "typeorm";
import { v7 as uuid } from "uuid";
import { indexBy } from "../../common/coalesce";
import { timestamp } from "../../common/time";
import type { Change } from "../../database/change-together";
import { coalesceKeysInTx } from "../../database/coalesce-in-tx";
import { lockRows } from "../../database/lock-rows";
import type { Tx } from "../../database/unit-of-work";
import { updatesOf } from "../../database/updates-of";
import { noSuch } from "../../errors";
import { Agent } from "../agents/agent.entity";
import { DeciderKind } from "../configuration/decider";
import { Decision, DecisionState } from "./decision.entity";

type NewDecision = Partial<Omit<Decision, "situationKey">> &
  Pick<Decision, "agentId" | "contactId" | "conversationId" | "configurationVersion" | "situation"> & {
    situationKey?: string | null | undefined;
  };

/** Returns a pending decision that is not stored yet. */
export const newDecision = (tx: Tx, { situationKey = null, ...given }: NewDecision): Decision =>
  tx.create(Decision, {
    id: uuid(),
    situationType: given.situation.type,
    situationKey,
    decider: DeciderKind.rules,
    state: DecisionState.deciding,
    outcome: null,
    ruleId: null,
    failedEffects: 0,
    effects: [],
    timerId: null,
    basis: null,
    snapshot: null,
    explanation: null,
    createdAt: timestamp(),
    decidedAt: null,
    ...given,
  });

/** Locks decisions that are still pending, after their participants; reads their agents and organizations. */
export const lockPending = (tx: Tx, ids: readonly string[]): Promise<Map<string, Decision>> => {
  const query = tx
    .createQueryBuilder(Decision, "decision")
    .innerJoinAndSelect("decision.agent", "agent")
    .innerJoinAndSelect("agent.organization", "organization");
  return lockRows(tx, query.where({ id: In([...ids]), state: DecisionState.deciding }));
};

/** Returns an agent with its organization, or throws `not_found`. */
export async function agentOf(tx: Tx, id: string): Promise<Agent> {
  const agent = await agentById(tx, id);
  if (agent === undefined) throw noSuch("agent");
  return agent;
}

export const agentById = coalesceKeysInTx(async (tx: Tx, ids) => {
  const agents = tx
    .createQueryBuilder(Agent, "agent")
    .innerJoinAndSelect("agent.organization", "organization");
  return indexBy(await agents.where({ id: In(ids) }).getMany(), ({ id }) => id);
});

/** Returns the changes to decisions that are already stored. */
export const updatesTo = (tx: Tx, decisions: readonly Decision[]): Change[] =>
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
