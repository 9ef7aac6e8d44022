export const eventScopes = {
  "events:read": "Read and follow the agent's events.",
};
