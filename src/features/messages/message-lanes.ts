/** Kind of the lane of a standalone message; the lane has the message's ID. */
export const MESSAGE_LANE = "message";

/** Kind of the lane of a conversation's messages; the lane has the conversation's ID. */
export const CONVERSATION_LANE = "conversation";
