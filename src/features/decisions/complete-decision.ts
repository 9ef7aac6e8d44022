import { timestamp } from "../../common/time";
import type { Tx } from "../../database/unit-of-work";
import type { Lanes } from "../../delivery/lanes";
import { closestSubject, type NewEvent, recordEvents } from "../events/record-events";
import { Decision, type DecisionOutcome, DecisionState } from "./decision.entity";
import { DECISIONS, EFFECTS, NO_ERROR } from "./decision.metrics";
import type { ExplanationError } from "./explanation";
import { type Explained, explanationJson } from "./explanation-json";
import { hasStatus } from "./outcome";

/** Completes a decision in memory. */
export function completeDecision(
  tx: Tx,
  lanes: Lanes,
  decision: Decision,
  outcome: DecisionOutcome,
  explanation: Explained | null,
): void {
  const effects = explanation?.effects ?? [];
  Object.assign(decision, {
    state: DecisionState.decided,
    outcome,
    explanation: explanation && explanationJson(explanation),
    failedEffects: effects.filter(hasStatus("failed")).length,
    decidedAt: timestamp(),
  });
  const observer = lanes.observing(tx);
  observer.count(DECISIONS, [decision.decider, outcome]);
  for (const { kind, status, error } of effects)
    observer.count(EFFECTS, [kind, status, error?.code ?? NO_ERROR]);
  recordEvents(tx, [decisionEvent(decision)]);
}

/** Marks a decision as failed in memory. */
export function failDecision(
  tx: Tx,
  lanes: Lanes,
  decision: Decision,
  { code, message }: ExplanationError,
): void {
  const { configurationVersion: version, createdAt: now } = decision;
  Object.assign(decision, {
    state: DecisionState.failed,
    explanation: explanationJson({
      version,
      now,
      error: { code, message },
      gates: [],
      rules: "[]",
      effects: [],
    }),
    decidedAt: timestamp(),
  });
  lanes.observing(tx).count(DECISIONS, [decision.decider, decision.state]);
  recordEvents(tx, [decisionEvent(decision)]);
}

/** Returns the event for a finished decision; clients fetch the explanation by ID. */
function decisionEvent(decision: Decision): NewEvent {
  const { id, agentId, contactId, conversationId, situation, configurationVersion } = decision;
  const { decider, outcome, ruleId, failedEffects, timerId, state } = decision;
  return {
    agentId,
    type: state === DecisionState.failed ? "decision.failed" : "decision.made",
    subject: closestSubject({ agentId, contactId, conversationId }),
    data: {
      id,
      contactId,
      conversationId,
      situationType: situation.type,
      configurationVersion,
      decider,
      outcome,
      ruleId,
      failedEffects,
      timerId,
    },
  };
}
