import { DeciderKind } from "../configuration/decider";
import { type Decision, DecisionState } from "./decision.entity";

/** The columns of a decision that is still to be made. */
export const pendingDecision = () =>
  ({
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
