import { OWNER } from "./crash/gateway.mjs";
import { ask } from "./crash/writes.mjs";

const SIGN_IN = "mutation ($input: SignInInput!) { signIn(input: $input) { token } }";
const CREATE_AGENT = "mutation ($input: CreateAgentInput!) { createAgent(input: $input) { id } }";
const CREATE_KEY = "mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }";
const SAVE =
  "mutation ($input: SaveConfigurationDraftInput!) { saveConfigurationDraft(input: $input) { draft { revision } } }";
const PUBLISH =
  "mutation ($input: PublishConfigurationInput!) { publishConfiguration(input: $input) { version } }";

/**
 * Creates agents that run the same document on a new service.
 * @param prepare is called with the owner's token and an agent's ID before its document is published
 * @returns `{ key }` for each agent
 */
export async function createAgents(url, count, document, prepare = async () => {}) {
  const { token } = (await ask(url, undefined, SIGN_IN, { input: OWNER })).signIn;
  const agents = [];
  for (let i = 1; i <= count; i++) {
    const input = { name: `Agent ${i}`, slug: `agent-${i}` };
    const { id: agentId } = (await ask(url, token, CREATE_AGENT, { input })).createAgent;
    const { secret } = (await ask(url, token, CREATE_KEY, { input: { agentId, name: "test" } })).createApiKey;
    await prepare(token, agentId);
    await ask(url, token, SAVE, { input: { agentId, document, expectedRevision: 0 } });
    await ask(url, token, PUBLISH, { input: { agentId, expectedLiveVersion: 1 } });
    agents.push({ key: secret });
  }
  return agents;
}
