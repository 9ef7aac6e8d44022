export const conversationScopes = {
  "conversations:read": "List and read conversations.",
  "conversations:write": "Open, change and close conversations, and review proposed messages.",
};
