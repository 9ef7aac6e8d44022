import { timestamp } from "../../src/common/time";
import { ApiKey } from "../../src/features/api-keys/api-key.entity";
import type { Call, Reply, TestGateway } from "./gateway";
import { codeOf, firstAgentId } from "./people";

const FIELDS =
  "id name hint state createdAt createdBy expiresAt revokedAt replacedById lastUsedAt lastUsedIp scopes description rateLimitPerMinute allowedNetworks agent { slug }";

const CREATE = `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { ${FIELDS} } } }`;
const UPDATE = `mutation ($input: UpdateApiKeyInput!) { updateApiKey(input: $input) { ${FIELDS} } }`;
const REVOKE = `mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { ${FIELDS} } }`;
const ROTATE = `mutation ($input: RotateApiKeyInput!) {
  rotateApiKey(input: $input) { secret apiKey { ${FIELDS} } }
}`;
const ONE = `query ($id: ID!) { apiKey(id: $id) { ${FIELDS} } }`;
const LIST = `query ($first: Int, $after: String, $agentId: ID, $state: ApiKeyState) {
  apiKeys(first: $first, after: $after, agentId: $agentId, state: $state) {
    nodes { ${FIELDS} } edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

/** Manages keys over GraphQL like the dashboard, by default as the owner. */
export function apiKeyClient(gateway: TestGateway) {
  const ask = (query: string, variables: Record<string, unknown>, call: Call = {}): Promise<Reply> =>
    gateway.graphql(query, variables, { token: gateway.owner, ...call });
  return {
    /** Mints for the first agent by default. */
    create: async (input: Record<string, unknown>, call?: Call) =>
      ask(CREATE, { input: { agentId: await firstAgentId(gateway), ...input } }, call),
    update: (id: string, changes: Record<string, unknown>, call?: Call) =>
      ask(UPDATE, { input: { id, ...changes } }, call),
    revoke: (id: string, call?: Call) => ask(REVOKE, { id }, call),
    rotate: (
      id: string,
      graceSeconds?: number,
      { idempotencyKey, ...call }: Call & { idempotencyKey?: string } = {},
    ) => ask(ROTATE, { input: { id, graceSeconds, idempotencyKey } }, call),
    find: (id: string, call?: Call) => ask(ONE, { id }, call),
    list: (variables: Record<string, unknown> = {}, call?: Call) => ask(LIST, variables, call),
  };
}

/** Returns the outcome of a call with a key, which is the same at both APIs: `accepted` or the error code. */
export async function outcomeOf(gateway: TestGateway, secret: string): Promise<string> {
  const rest = await gateway.rest("GET", "/agent/whoami", { token: secret });
  const graphql = await gateway.graphql("{ whoami { key { id } } }", {}, { token: secret });
  const outcome = codeOf(rest) ?? "accepted";
  expect(codeOf(graphql) ?? "accepted").toBe(outcome);
  expect(graphql.status).toBe(rest.status);
  return outcome;
}

/** Moves a key's expiration into the past. */
export const expire = (gateway: TestGateway, id: string): Promise<unknown> =>
  gateway.services.database.write((tx) => tx.update(ApiKey, { id }, { expiresAt: timestamp(-1) }));
