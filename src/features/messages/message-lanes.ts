/** Lane kind for standalone messages; a lane has the ID of its message. */
export const MESSAGE_LANE = "message";

/** Lane kind for messages in conversations; a lane has the ID of its conversation. */
export const CONVERSATION_LANE = "conversation";
