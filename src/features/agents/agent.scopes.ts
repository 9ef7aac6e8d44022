export const agentScopes = {
  "agent:read": "Read the agent's configuration, lines and decisions.",
};
