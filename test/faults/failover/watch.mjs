import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { pick } from "../../bench/random.mjs";
import { OWNER } from "../crash/gateway.mjs";
import { ask, present } from "../crash/writes.mjs";

const PAUSE_MS = 100;
/** Pause between sign-ins, which cost a password check (ms). */
const SIGN_IN_PAUSE_MS = 1_000;
/** Number of revoked keys, and of ended sessions, to present; the latest ones are used. */
const PRESENTED = 10;

const CREATE_KEY =
  "mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id } } }";
const REVOKE_KEY = "mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { id } }";
const SIGN_IN = "mutation ($input: SignInInput!) { signIn(input: $input) { token } }";
const SIGN_OUT = "mutation { signOut { __typename } }";

const isAccepted = {
  key: async (url, token) => (await present(url, token)) === 200,
  session: async (url, token) => (await ask(url, token, "{ viewer { id } }")).viewer !== null,
};

/**
 * Constantly revokes keys and signs out of sessions, and presents them afterwards to every gateway.
 * @param accepted called with each revoked key or ended session that is still accepted: `{ kind, id }`
 */
export function startWatch(urls, { session, agentId }, random, accepted) {
  let stopped = false;
  const counts = { revoked: 0, signedOut: 0, presented: 0 };
  const ended = { key: [], session: [] };
  const url = () => pick(random, urls);
  const repeat = async (pauseMs, work) => {
    while (!stopped) {
      // Requests fail while there is no primary.
      await work().catch(() => {});
      await setTimeout(pauseMs);
    }
  };
  const revoke = async () => {
    // Unique, because the response to an earlier creation may have been lost.
    const input = { agentId, name: `ends ${randomUUID()}` };
    const { secret, apiKey } = (await ask(url(), session, CREATE_KEY, { input })).createApiKey;
    await ask(url(), session, REVOKE_KEY, { id: apiKey.id });
    counts.revoked += 1;
    ended.key.push({ id: apiKey.id, token: secret });
  };
  const signOut = async () => {
    const { token } = (await ask(url(), undefined, SIGN_IN, { input: OWNER })).signIn;
    await ask(url(), token, SIGN_OUT);
    counts.signedOut += 1;
    ended.session.push({ id: `session ${counts.signedOut}`, token });
  };
  const presentTo = (gateway, kind) => async () => {
    for (const { id, token } of ended[kind].slice(-PRESENTED)) {
      counts.presented += 1;
      if (await isAccepted[kind](gateway, token).catch(() => false)) accepted({ kind, id });
    }
  };
  const running = [
    repeat(PAUSE_MS, revoke),
    repeat(SIGN_IN_PAUSE_MS, signOut),
    ...urls.flatMap((gateway) =>
      Object.keys(ended).map((kind) => repeat(PAUSE_MS, presentTo(gateway, kind))),
    ),
  ];
  return {
    counts,
    async stop() {
      stopped = true;
      await Promise.all(running);
    },
  };
}
