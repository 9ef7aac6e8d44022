import { ID, NUMBER, object, orNull, TEXT } from "../../schema/event-type";

const data = object({
  id: ID,
  contactId: orNull(ID),
  conversationId: orNull(ID),
  situationType: TEXT,
  configurationVersion: NUMBER,
  decider: TEXT,
  outcome: orNull(TEXT),
  ruleId: orNull(TEXT),
  failedEffects: NUMBER,
  timerId: orNull(ID),
});

export const decisionEventTypes = {
  "decision.made": { description: "The agent made a decision.", data },
  "decision.failed": { description: "A decision could not be made.", data },
};
