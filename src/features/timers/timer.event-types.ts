import { ID, object, orNull, TEXT } from "../../schema/event-type";

/** Timer events omit the situation's data, which would otherwise outlive the contact's erasure. */
const timer = (more: Parameters<typeof object>[0] = {}) =>
  object({
    id: ID,
    contactId: orNull(ID),
    conversationId: orNull(ID),
    situationType: TEXT,
    dueAt: TEXT,
    decisionId: ID,
    ...more,
  });

export const timerEventTypes = {
  "timer.set": { description: "A timer was set.", data: timer() },
  "timer.canceled": {
    description: "A timer was canceled before its situation was submitted to the agent.",
    data: timer({ reason: TEXT }),
  },
};
