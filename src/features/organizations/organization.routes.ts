import {
  listRoute,
  named,
  type PathParameter,
  type RestRoute,
  type RouteGroup,
} from "../../schema/rest-route";

const AGENT_ID: PathParameter = {
  name: "agentId",
  variable: "agentId",
  description: "ID of the agent.",
  format: "uuid",
  example: "01a1fcd2-254e-77bb-8319-2e26d1494ad2",
};
const KEY_ID: PathParameter = {
  name: "keyId",
  variable: "id",
  description: "ID of the API key.",
  format: "uuid",
  example: "01a1fcd2-2552-7717-b403-47e51492d93d",
};

const KEY = "id name hint state scopes createdAt expiresAt revokedAt replacedById agent { id slug }";
const MINTED = `secret apiKey { ${KEY} }`;

const AGENT = { id: AGENT_ID.example, slug: "first-agent" };
const EXAMPLE_KEY = {
  id: KEY_ID.example,
  name: "shop",
  hint: "agk_dev_NMHsHkUwZKGz",
  state: "active",
  scopes: ["messages:write"],
  createdAt: "2026-11-21T06:36:32.978Z",
  expiresAt: "2027-02-19T06:36:32.978Z",
  agent: AGENT,
};
const EXAMPLE_MINTED = { secret: "agk_dev_NMHsHkUwZKGz_EXAMPLEexampleEXAMPLE000000", apiKey: EXAMPLE_KEY };

/** Managers' GraphQL operations as REST routes, for programs with an organization key. */
const routes: readonly Omit<RestRoute, "keys">[] = [
  {
    operationId: "listAgents",
    summary: "List the agents",
    method: "GET",
    path: "/organization/agents",
    document: "query listAgents { agents { id slug name } }",
    answers: "The agents, ordered by slug.",
    example: { answer: [{ ...AGENT, name: "First agent" }] },
  },
  listRoute({
    operationId: "listApiKeys",
    summary: "List the API keys",
    path: "/organization/api-keys",
    field: "apiKeys",
    parameters: "agentId: ID, kind: ApiKeyKind, state: ApiKeyState, search: String",
    node: KEY,
    answers: "One page of keys, newest first.",
    example: { answer: [EXAMPLE_KEY] },
  }),
  {
    operationId: "createApiKey",
    summary: "Mint an API key for an agent",
    description: "Mints a key with explicit scopes. Its secret is shown only in this response.",
    method: "POST",
    path: "/organization/api-keys",
    document: `mutation createApiKey($input: CreateApiKeyInput!) { createApiKey(input: $input) { ${MINTED} } }`,
    bodyVariable: "input",
    status: 201,
    errors: ["not_found", "conflict"],
    answers: "The key and its secret.",
    example: {
      body: { agentId: AGENT.id, name: "shop", scopes: ["messages:write"] },
      answer: EXAMPLE_MINTED,
    },
  },
  {
    operationId: "rotateApiKey",
    summary: "Rotate an API key",
    description: "Replaces a key. The new key's secret is shown only in this response.",
    method: "POST",
    path: "/organization/api-keys/:keyId/rotate",
    document: `mutation rotateApiKey($id: ID!, $graceSeconds: Int, $idempotencyKey: String) {
      rotateApiKey(input: { id: $id, graceSeconds: $graceSeconds, idempotencyKey: $idempotencyKey }) { ${MINTED} }
    }`,
    pathParameters: [KEY_ID],
    bodyMembers: named("graceSeconds"),
    status: 201,
    errors: ["not_found", "conflict"],
    destructive: true,
    answers: "The new key and its secret.",
    example: { body: { graceSeconds: 3600 }, answer: EXAMPLE_MINTED },
  },
  {
    operationId: "revokeApiKey",
    summary: "Revoke an API key",
    description: "Revokes a key, effective on the next request.",
    method: "POST",
    path: "/organization/api-keys/:keyId/revoke",
    document: `mutation revokeApiKey($id: ID!) { revokeApiKey(input: { id: $id }) { ${KEY} } }`,
    pathParameters: [KEY_ID],
    errors: ["not_found"],
    destructive: true,
    answers: "The revoked key.",
    example: { answer: { ...EXAMPLE_KEY, state: "revoked", revokedAt: "2026-11-21T07:00:00.000Z" } },
  },
  {
    operationId: "saveConfigurationDraft",
    summary: "Save an agent's configuration draft",
    method: "PUT",
    path: "/organization/agents/:agentId/configuration/draft",
    document: `mutation saveConfigurationDraft(
      $agentId: ID!, $document: JSONObject!, $expectedRevision: Int!, $expectedBasedOn: Int
    ) {
      saveConfigurationDraft(
        input: {
          agentId: $agentId, document: $document, expectedRevision: $expectedRevision, expectedBasedOn: $expectedBasedOn
        }
      ) { draft { revision basedOn } check { problems { path message } warnings { path message } } }
    }`,
    pathParameters: [AGENT_ID],
    bodyMembers: named("document", "expectedRevision", "expectedBasedOn"),
    errors: ["not_found", "version_conflict"],
    destructive: true,
    answers: "The new revision of the draft, with the problems in its document.",
    example: {
      body: { document: { format: 1 }, expectedRevision: 0 },
      answer: { draft: { revision: 1, basedOn: 1 }, check: { problems: [], warnings: [] } },
    },
  },
  {
    operationId: "testConfiguration",
    summary: "Run the tests of an agent's configuration",
    description: "Runs the tests of the live configuration, another version, the draft or a document.",
    method: "POST",
    path: "/organization/agents/:agentId/configuration/tests",
    document: `query testConfiguration($agentId: ID!, $against: ReplayAgainst) {
      runConfigurationTests(agentId: $agentId, against: $against) {
        total failed results { testId passed } differences { testId path message }
      }
    }`,
    pathParameters: [AGENT_ID],
    bodyMembers: named("against"),
    errors: ["not_found"],
    answers: "The results, even if tests fail.",
    example: {
      body: { against: { draft: true } },
      answer: { total: 1, failed: 0, results: [{ testId: "vip-order", passed: true }], differences: [] },
    },
  },
  {
    operationId: "publishConfiguration",
    summary: "Publish an agent's configuration",
    method: "POST",
    path: "/organization/agents/:agentId/configuration",
    document: `mutation publishConfiguration(
      $agentId: ID!, $expectedLiveVersion: Int!, $expectedRevision: Int, $fromVersion: Int,
      $document: JSONObject, $note: String
    ) {
      publishConfiguration(
        input: {
          agentId: $agentId, expectedLiveVersion: $expectedLiveVersion, expectedRevision: $expectedRevision,
          fromVersion: $fromVersion, document: $document, note: $note
        }
      ) { version digest publishedAt publishedBy note }
    }`,
    pathParameters: [AGENT_ID],
    bodyMembers: named("expectedLiveVersion", "expectedRevision", "fromVersion", "document", "note"),
    status: 201,
    errors: ["not_found", "version_conflict"],
    destructive: true,
    answers: "The published version.",
    example: {
      body: { expectedLiveVersion: 1, document: { format: 1 }, note: "from the pipeline" },
      answer: {
        version: 2,
        digest: "3f0a99256beeb89a6b9f2793885291a6454928fd74903159ab2e51452b13df6f",
        publishedAt: "2026-11-21T06:36:32.976Z",
        publishedBy: "ago_live_Qx7mT2bLw9Zk",
        note: "from the pipeline",
      },
    },
  },
  listRoute({
    operationId: "listAuditLog",
    summary: "Read the audit log",
    path: "/organization/audit-log",
    field: "auditLog",
    parameters: "action: AuditAction, actorId: ID, targetId: ID, since: DateTimeISO, until: DateTimeISO",
    node: "id action actorKind actorId actorName targetId targetName targetHint changes { field before after } detail ip userAgent requestId count createdAt",
    answers: "One page of entries, newest first.",
    example: {
      answer: [
        {
          id: "01a1fcd2-2553-7717-b403-47e51492d93d",
          action: "api_key_revoked",
          actorKind: "organization_key",
          actorId: "01a1fcd2-2554-7717-b403-47e51492d93d",
          actorName: "ago_live_Qx7mT2bLw9Zk",
          targetId: KEY_ID.example,
          targetName: "shop",
          targetHint: "agk_dev_NMHsHkUwZKGz",
          changes: [],
          ip: "192.0.2.7",
          count: 1,
          createdAt: "2026-11-21T07:00:00.000Z",
        },
      ],
    },
  }),
];

/** The REST routes for organization keys. */
export const organizationRoutes: RouteGroup = {
  tag: "Organization",
  description: "Organization management, for organization keys with the required scopes.",
  routes: routes.map((route): RestRoute => ({ ...route, keys: ["organizationKey"] })),
};
