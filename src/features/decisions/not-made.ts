import { DeciderKind } from "../configuration/decider";
import { type Decision, DecisionState } from "./decision.entity";

/** What is known of a decision that is still to be made. */
export const notMade = () =>
  ({
    decider: DeciderKind.rules,
    state: DecisionState.deciding,
    outcome: null,
    ruleId: null,
    effects: [],
    basis: null,
    explanation: null,
    decidedAt: null,
  }) satisfies Partial<Decision>;
