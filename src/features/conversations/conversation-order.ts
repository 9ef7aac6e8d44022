import { enumOf } from "../../common/declared-enum";

export const ConversationOrder = enumOf("ConversationOrder", "Sort order of conversations.", {
  oldest_first: "By creation time, oldest first.",
  newest_first: "By creation time, newest first.",
  last_activity_first:
    "By `updatedAt`, latest first. A conversation that changes while a client pages through the list moves to the first page and may be missed.",
  longest_waiting_first:
    "By `waitingSince`, earliest first. Conversations in which nobody needs to reply are left out.",
});
export type ConversationOrder = keyof typeof ConversationOrder;
