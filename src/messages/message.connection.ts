import { ConnectionOf } from "../graphql/connection";
import { isUuid } from "../validation/uuid";
import { Message } from "./message.entity";

export const MessageConnection = ConnectionOf(Message, "message", isUuid);
export type MessageConnection = InstanceType<typeof MessageConnection>;
