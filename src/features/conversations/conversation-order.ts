import { registerEnumType } from "type-graphql";

export enum ConversationOrder {
  oldest_first = "oldest_first",
  newest_first = "newest_first",
  last_activity_first = "last_activity_first",
}

registerEnumType(ConversationOrder, {
  name: "ConversationOrder",
  description: "Order of conversations.",
  valuesConfig: {
    oldest_first: { description: "By time of creation, the oldest first." },
    newest_first: { description: "By time of creation, the newest first." },
    last_activity_first: {
      description:
        "By `updatedAt`, the latest first. One that changes between two pages moves to the first and may be missed.",
    },
  },
});
