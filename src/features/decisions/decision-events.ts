import type { NewEvent } from "../events/record-events";
import { type Decision, DecisionState } from "./decision.entity";

/** The event of a finished decision; clients read the explanation by ID. */
export function decisionEvent(decision: Decision): NewEvent {
  const { id, agentId, contactId, conversationId, situation, configurationVersion } = decision;
  const { decider, outcome, ruleId, failedEffects, timerId, state } = decision;
  const subject =
    conversationId !== null
      ? (`conversation:${conversationId}` as const)
      : contactId !== null
        ? (`contact:${contactId}` as const)
        : (`configuration:${agentId}` as const);
  return {
    agentId,
    type: state === DecisionState.failed ? "decision.failed" : "decision.made",
    subject,
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
