import { enumOf } from "../../common/declared-enum";

export const ConversationOrder = enumOf("ConversationOrder", "Sort order of conversations.", {
  oldest_first: "By creation time, oldest first.",
  newest_first: "By creation time, newest first.",
  last_activity_first:
    "By `updatedAt`, latest first. Pagination may skip conversations that change in the meantime.",
  longest_waiting_first: "Only conversations with `waitingSince` set, earliest first.",
});
export type ConversationOrder = keyof typeof ConversationOrder;
