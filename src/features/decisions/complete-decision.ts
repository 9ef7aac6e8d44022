import { timestamp } from "../../common/time";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import { recordEvents } from "../events/record-events";
import { Decision, DecisionOutcome, DecisionState } from "./decision.entity";
import { DECISIONS, EFFECTS, NO_ERROR } from "./decision.metrics";
import { decisionEvent } from "./decision-events";
import type { EffectExplanation, EffectStatus, Explanation, ExplanationError } from "./explanation";

/** Completes a decision in memory. */
export function completeDecision(
  tx: Tx,
  lanes: Lanes,
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
  const observer = lanes.observing(tx);
  observer.count(DECISIONS, [decision.decider, outcome]);
  for (const { kind, status, error } of effects)
    observer.count(EFFECTS, [kind, status, error?.code ?? NO_ERROR]);
  recordEvents(tx, [decisionEvent(decision)]);
}

/** Fails a decision in memory. */
export function failDecision(
  tx: Tx,
  lanes: Lanes,
  decision: Decision,
  { code, message }: ExplanationError,
): void {
  const { configurationVersion: version, createdAt: now } = decision;
  Object.assign(decision, {
    state: DecisionState.failed,
    explanation: { version, now, error: { code, message }, gates: [], rules: [], effects: [] },
    decidedAt: timestamp(),
  });
  lanes.observing(tx).count(DECISIONS, [decision.decider, decision.state]);
  recordEvents(tx, [decisionEvent(decision)]);
}

export function outcomeOf(effects: readonly EffectExplanation[]): DecisionOutcome {
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
export const wasAsked = ({ kind, status }: EffectExplanation): boolean => kind === "ask" && status === "done";

export const hasStatus =
  (...statuses: readonly EffectStatus[]) =>
  ({ status }: EffectExplanation): boolean =>
    statuses.includes(status);
