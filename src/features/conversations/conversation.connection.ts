import type { SelectQueryBuilder } from "typeorm";
import { type Timestamp, timestampOf } from "../../common/time";
import { isUuid } from "../../common/uuid";
import { ConnectionOf, type Page, paginate } from "../../pagination/connection";
import { Conversation } from "./conversation.entity";
import { ConversationOrder } from "./conversation-order";

/** ID and time of the last activity, so that a cursor works with every order. */
const positionOf = ({ id, updatedAt }: Conversation): string => `${id}.${Date.parse(updatedAt)}`;

const parsed = (position: string): { id: string; at: Timestamp } => {
  const [id = "", at] = position.split(".");
  return { id, at: timestampOf(Number(at)) };
};

const isPosition = (text: string): boolean => {
  const [id = "", at = ""] = text.split(".");
  return isUuid(id) && /^\d{1,15}$/.test(at);
};

export const ConversationConnection = ConnectionOf(Conversation, "conversation", isPosition, positionOf);
export type ConversationConnection = InstanceType<typeof ConversationConnection>;

/** Like `paginate`, but can also order conversations by last activity. */
export function paginateConversations(
  query: SelectQueryBuilder<Conversation>,
  { after, limit }: Page,
  order: ConversationOrder,
): SelectQueryBuilder<Conversation> {
  const start = after === undefined ? undefined : parsed(after);
  if (order !== ConversationOrder.last_activity_first) {
    const page = { after: start?.id, limit };
    return paginate(query, page, order === ConversationOrder.newest_first ? "DESC" : "ASC");
  }
  if (start !== undefined) {
    query.andWhere("(conversation.updated_at, conversation.id) < (:at, :id)", start);
  }
  return query
    .orderBy("conversation.updated_at", "DESC")
    .addOrderBy("conversation.id", "DESC")
    .limit(limit + 1);
}
