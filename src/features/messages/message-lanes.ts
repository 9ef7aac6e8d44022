/** Lane kind for standalone messages; the lane has the message's ID. */
export const MESSAGE_LANE = "message";

/** Lane kind for the messages of a conversation; the lane has the conversation's ID. */
export const CONVERSATION_LANE = "conversation";
