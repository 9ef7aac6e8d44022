import { registerEnumType } from "type-graphql";

export enum ConversationOrder {
  oldest_first = "oldest_first",
  newest_first = "newest_first",
  last_activity_first = "last_activity_first",
}

registerEnumType(ConversationOrder, {
  name: "ConversationOrder",
  description: "Sort order of conversations.",
  valuesConfig: {
    oldest_first: { description: "By creation time, oldest first." },
    newest_first: { description: "By creation time, newest first." },
    last_activity_first: {
      description:
        "By `updatedAt`, latest first. A conversation that changes while a client pages through the list moves to the first page and may be missed.",
    },
  },
});
