import { isUuid } from "../../common/uuid";
import { ConnectionOf } from "../../pagination/connection";
import { Message } from "./message.entity";

export const MessageConnection = ConnectionOf(Message, "message", isUuid);
export type MessageConnection = InstanceType<typeof MessageConnection>;
