import { DeciderKind } from "../configuration/decider";
import { type Decision, DecisionState, type Situation } from "./decision.entity";

/** The columns of a decision that is still to be made. */
export const pendingDecision = (situation: Situation, situationKey: string | null = null) =>
  ({
    situation,
    situationType: situation.type,
    situationKey,
    decider: DeciderKind.rules,
    state: DecisionState.deciding,
    outcome: null,
    ruleId: null,
    failedEffects: 0,
    effects: [],
    timerId: null,
    basis: null,
    explanation: null,
    decidedAt: null,
  }) satisfies Partial<Decision>;
