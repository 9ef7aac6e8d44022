/** Kind of the lane of a message outside of any conversation, with the ID of the message. */
export const MESSAGE_LANE = "message";

/** Kind of the lane of the messages of a conversation, with the ID of the conversation. */
export const CONVERSATION_LANE = "conversation";
