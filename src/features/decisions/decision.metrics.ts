import { counter } from "../../telemetry/feature-metrics";
import { DeciderKind } from "../configuration/decider";
import { DecisionOutcome, DecisionState } from "./decision.entity";

export const DECISIONS = counter("gateway_decisions_total", "Decisions, by decider and outcome.", {
  decider: Object.values(DeciderKind),
  outcome: [...Object.values(DecisionOutcome), DecisionState.failed],
});
