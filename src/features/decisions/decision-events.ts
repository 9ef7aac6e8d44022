import { closestSubject, type NewEvent } from "../events/record-events";
import { type Decision, DecisionState } from "./decision.entity";

/** Returns the event for a finished decision; clients fetch the explanation by ID. */
export function decisionEvent(decision: Decision): NewEvent {
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
