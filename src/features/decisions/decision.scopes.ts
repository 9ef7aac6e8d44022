export const decisionScopes = {
  "agent:decide": "Have the agent decide, and do what its configuration says.",
};
