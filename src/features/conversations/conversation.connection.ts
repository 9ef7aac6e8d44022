import { isUuid } from "../../common/uuid";
import { ConnectionOf } from "../../pagination/connection";
import { Conversation } from "./conversation.entity";

export const ConversationConnection = ConnectionOf(Conversation, "conversation", isUuid);
export type ConversationConnection = InstanceType<typeof ConversationConnection>;
