export const messageScopes = {
  "messages:read": "List and read the agent's messages.",
  "messages:write": "Queue and cancel messages.",
};
