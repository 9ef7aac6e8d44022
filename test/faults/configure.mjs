import { OWNER } from "./crash/gateway.mjs";
import { ask } from "./crash/writes.mjs";

const SIGN_IN = "mutation ($input: SignInInput!) { signIn(input: $input) { token } }";
const SAVE =
  "mutation ($input: SaveConfigurationDraftInput!) { saveConfigurationDraft(input: $input) { draft { revision } } }";
const PUBLISH =
  "mutation ($input: PublishConfigurationInput!) { publishConfiguration(input: $input) { version } }";

/**
 * Publishes a document for the first agent of a new service.
 * @param prepare is called with the owner's token and the agent's ID before
 */
export async function configure(url, document, prepare = async () => {}) {
  const { token } = (await ask(url, undefined, SIGN_IN, { input: OWNER })).signIn;
  const [{ id: agentId }] = (await ask(url, token, "{ agents { id } }")).agents;
  await prepare(token, agentId);
  await ask(url, token, SAVE, { input: { agentId, document, expectedRevision: 0 } });
  await ask(url, token, PUBLISH, { input: { agentId, expectedLiveVersion: 1 } });
}
