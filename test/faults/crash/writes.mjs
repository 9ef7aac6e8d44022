import { Webhook } from "standardwebhooks";

const HUNG_MS = 30_000;

const CREATE_PET =
  "mutation ($input: CreatePetInput!) { createPet(input: $input) { id name categoryId status } }";
const SEND_MESSAGE =
  "mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id message: text } }";
const SAY = `mutation ($id: ID!, $message: String!, $idempotencyKey: String) {
  sendToConversation(input: { id: $id, text: $message, idempotencyKey: $idempotencyKey }) { id message: text sequence }
}`;
const DECIDE = "mutation ($input: DecideInput!) { decide(input: $input) { id } }";
const CREATE_KEY =
  "mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id } } }";
const REVOKE_KEY = "mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { id state } }";
const ROTATE_KEY = `mutation ($id: ID!, $graceSeconds: Int!) {
  rotateApiKey(input: { id: $id, graceSeconds: $graceSeconds }) { secret apiKey { id } }
}`;

/** How each kind of write is sent to each API: `{ token, path, headers, body, result }`. */
const REQUESTS = {
  "pet rest": ({ marker, categoryId, idempotencyKey }, { key }) =>
    rest(key, "/v1/pets", { name: marker, categoryId }, idempotencyKey),
  "pet graphql": ({ marker, categoryId, idempotencyKey }, { key }) =>
    graphql(key, CREATE_PET, {
      input: { name: marker, categoryId: String(categoryId), idempotencyKey },
    }),
  "message rest": ({ marker, idempotencyKey }, { key }) =>
    rest(key, "/messages", { message: marker }, idempotencyKey),
  "message graphql": ({ marker, idempotencyKey }, { key }) =>
    graphql(key, SEND_MESSAGE, { input: { text: marker, idempotencyKey } }),
  "say rest": ({ marker, conversation, idempotencyKey }, { key }) =>
    rest(key, `/agent/conversations/${conversation}/messages`, { message: marker }, idempotencyKey),
  "say graphql": ({ marker, conversation, idempotencyKey }, { key }) =>
    graphql(key, SAY, { id: conversation, message: marker, idempotencyKey }),
  "decide rest": ({ idempotencyKey, ...write }, { key }) =>
    rest(key, "/agent/decisions", handed(write), idempotencyKey),
  "decide graphql": ({ idempotencyKey, ...write }, { key }) =>
    graphql(key, DECIDE, { input: { ...handed(write), idempotencyKey } }),
  "receive inbound": ({ marker, from }, { line }) => signed(line, { id: marker, from, text: marker }),
  "createKey graphql": ({ marker, idempotencyKey }, { session, agentId }) =>
    graphql(session, CREATE_KEY, { input: { agentId, name: marker, idempotencyKey } }),
  "revokeKey graphql": ({ target }, { session }) => graphql(session, REVOKE_KEY, { id: target.id }),
  "rotateKey graphql": ({ target, graceSeconds }, { session }) =>
    graphql(session, ROTATE_KEY, { id: target.id, graceSeconds }),
};

/** Returns a situation that a rule of the configuration in rounds.mjs applies to. */
const handed = ({ marker, conversation }) =>
  conversation === undefined
    ? {
        situation: { type: "new", data: { marker } },
        contact: { address: { kind: "local", address: marker } },
      }
    : { situation: { type: "known", data: { marker } }, conversationId: conversation };

const rest = (token, path, body, idempotencyKey) => ({
  token,
  path,
  body,
  headers: idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey },
  result: (answer) => answer,
});

/** Returns a request that the system at the other end of a line signs. */
function signed({ id, secret }, body) {
  const at = new Date();
  const signature = new Webhook(secret).sign(body.id, at, JSON.stringify(body));
  return {
    path: `/inbound/${id}`,
    body,
    headers: {
      "webhook-id": body.id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": signature,
    },
    result: (answer) => answer,
  };
}

const graphql = (token, query, variables) => ({
  token,
  path: "/graphql",
  body: { query, variables },
  headers: { accept: "application/graphql-response+json" },
  result: (answer) => Object.values(answer.data)[0],
});

const bearer = (token) => token && { authorization: `Bearer ${token}` };

/**
 * Sends a write, and records its outcome in it.
 * @returns its outcome
 */
export async function send(write, url, callers, history) {
  const { token, path, headers, body, result } = REQUESTS[`${write.kind} ${write.api}`](write, callers);
  write.attempts = (write.attempts ?? 0) + 1;
  try {
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { ...bearer(token), "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(HUNG_MS),
    });
    const text = await response.text();
    if (response.status === 503) {
      write.outcome = "unavailable";
    } else if (response.ok) {
      write.answer = result(JSON.parse(text));
      write.outcome = "answered";
      write.answeredAt = Date.now();
      write.url = url;
    } else {
      write.outcome = "rejected";
      history.violate("other", `${write.kind} ${write.marker} was rejected: ${response.status} ${text}`);
    }
  } catch (error) {
    write.outcome = "unanswered";
    if (error.name === "TimeoutError") history.violate("other", `${write.kind} ${write.marker} hung`);
  }
  // A retry changes `outcome`, but not `first`.
  write.first ??= write.outcome;
  return write.outcome;
}

/**
 * Calls the GraphQL API.
 * @throws Error if the call fails
 */
export async function ask(url, token, query, variables = {}) {
  const response = await fetch(`${url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", ...bearer(token) },
    body: JSON.stringify({ query, variables }),
    signal: AbortSignal.timeout(HUNG_MS),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

/** Returns the status of `GET /agent/whoami` with a key. */
export async function present(url, secret) {
  const headers = { authorization: `Bearer ${secret}` };
  const response = await fetch(`${url}/agent/whoami`, { headers, signal: AbortSignal.timeout(HUNG_MS) });
  await response.arrayBuffer();
  return response.status;
}
