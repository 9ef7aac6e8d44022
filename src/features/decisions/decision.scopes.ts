export const decisionScopes = {
  "agent:decide": "Submit situations for the agent to decide and act on.",
};
