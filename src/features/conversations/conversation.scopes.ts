export const conversationScopes = {
  "conversations:read": "List and read conversations.",
  "conversations:write": "Open, move, hand off and close conversations.",
};
