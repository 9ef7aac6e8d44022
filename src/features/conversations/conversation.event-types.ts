import { ID, NUMBER, object, orNull, TEXT } from "../../schema/event-type";

const members = {
  id: ID,
  contactId: ID,
  lineId: ID,
  state: TEXT,
  handler: TEXT,
  version: NUMBER,
};

const data = object(members);

export const conversationEventTypes = {
  "conversation.opened": { description: "A conversation was opened.", data },
  "conversation.moved": { description: "A conversation was moved to another line.", data },
  "conversation.handed_off": { description: "A conversation was handed off to a human.", data },
  "conversation.released": {
    description: "A conversation was released to the agent.",
    data: object({ ...members, reason: TEXT }),
  },
  "conversation.loop_detected": {
    description:
      "The agent stopped answering an address that received too many automatic answers within an hour.",
    data,
  },
  "conversation.assigned": {
    description: "A conversation was assigned to a member or unassigned.",
    data: object({ ...members, assigneeId: orNull(ID) }),
  },
  "conversation.closed": { description: "A conversation was closed.", data },
};
