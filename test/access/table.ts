import { mint } from "../support/gateway";
import { TEST_PASSWORD } from "../support/people";
import type { Cast } from "./callers";

/** What each caller of CALLERS gets, in that order: `ok`, or the code of the refusal. */
export type Row = readonly string[];

const KEYS_REFUSED = ["key_revoked", "key_expired", "key_not_resolvable"];

const ROWS = {
  anyone: ["ok", "ok", ...KEYS_REFUSED, "ok", "ok", "ok", "ok"],
  agentKey: ["unauthenticated", "ok", ...KEYS_REFUSED, "forbidden", "forbidden", "forbidden", "forbidden"],
  memberReads: ["unauthenticated", "forbidden", ...KEYS_REFUSED, "ok", "ok", "ok", "ok"],
  memberEvenWhileOff: ["unauthenticated", "forbidden", ...KEYS_REFUSED, "ok", "ok", "ok", "ok"],
  managerReads: ["unauthenticated", "forbidden", ...KEYS_REFUSED, "forbidden", "ok", "ok", "ok"],
  managerEvenWhileOff: ["unauthenticated", "forbidden", ...KEYS_REFUSED, "forbidden", "ok", "ok", "ok"],
  /** A change of something in the first organization, which another one does not have. */
  managerChanges: [
    ...["unauthenticated", "forbidden", ...KEYS_REFUSED, "forbidden", "ok"],
    ...["organization_deactivated", "not_found"],
  ],
  /** As before, but also while its organization is deactivated, which has no such key. */
  managerRevokes: [
    ...["unauthenticated", "forbidden", ...KEYS_REFUSED, "forbidden", "ok"],
    ...["not_found", "not_found"],
  ],
} as const satisfies Record<string, Row>;

/** One field of Query or Mutation: how to call it, and what each caller gets. */
export interface Entry {
  row: Row;
  document: string;
  variables?: (cast: Cast) => Promise<Record<string, unknown>>;
}

const NOTHING = "018f0000-0000-7000-8000-000000000000";
const fresh = () => Math.random().toString(36);
const aKey = async ({ gateway }: Cast) => ({ id: (await mint(gateway)).id });

/** Every field of Query and Mutation; the test fails when one is missing. */
export const FIELDS: Readonly<Record<string, Entry>> = {
  "Query.whoami": { row: ROWS.agentKey, document: "{ whoami { agent { id } } }" },
  "Query.pets": { row: ROWS.agentKey, document: "{ pets { nodes { id } } }" },
  "Query.pet": { row: ROWS.agentKey, document: '{ pet(id: "1") { id } }' },
  "Query.message": { row: ROWS.agentKey, document: `{ message(id: "${NOTHING}") { id } }` },
  "Query.messages": { row: ROWS.agentKey, document: "{ messages { nodes { id } } }" },
  "Query.viewer": { row: ROWS.memberReads, document: "{ viewer { id organization { id } } }" },
  "Query.members": { row: ROWS.memberReads, document: "{ members { id } }" },
  "Query.agents": { row: ROWS.memberReads, document: "{ agents { id } }" },
  "Query.apiKeys": { row: ROWS.managerReads, document: "{ apiKeys { nodes { id agent { id } } } }" },
  "Query.apiKey": {
    row: ROWS.managerReads,
    document: "query ($id: ID!) { apiKey(id: $id) { id } }",
    variables: aKey,
  },
  "Query.auditLog": { row: ROWS.managerReads, document: "{ auditLog { nodes { id } } }" },
  "Query.firstSteps": { row: ROWS.memberReads, document: "{ firstSteps { keyMinted } }" },
  "Query.keyUsage": { row: ROWS.managerReads, document: "{ keyUsage { accepted } }" },
  "Mutation.createPet": {
    row: ROWS.agentKey,
    document: 'mutation { createPet(input: { name: "Rex", categoryId: "1" }) { id } }',
  },
  "Mutation.sendMessage": {
    row: ROWS.agentKey,
    document: 'mutation { sendMessage(input: { message: "hello" }) { id } }',
  },
  "Mutation.createApiKey": {
    row: ROWS.managerChanges,
    document: "mutation ($input: NewApiKey!) { createApiKey(input: $input) { apiKey { id } } }",
    variables: async ({ agentId }) => ({ input: { agentId, name: fresh() } }),
  },
  "Mutation.renameApiKey": {
    row: ROWS.managerChanges,
    document: "mutation ($id: ID!, $name: String!) { renameApiKey(id: $id, name: $name) { id } }",
    variables: async (cast) => ({ ...(await aKey(cast)), name: fresh() }),
  },
  "Mutation.revokeApiKey": {
    row: ROWS.managerRevokes,
    document: "mutation ($id: ID!) { revokeApiKey(id: $id) { id } }",
    variables: aKey,
  },
  "Mutation.rotateApiKey": {
    row: ROWS.managerChanges,
    document: "mutation ($id: ID!) { rotateApiKey(id: $id) { apiKey { id } } }",
    variables: aKey,
  },
  "Mutation.deactivateOrganization": {
    row: ROWS.managerEvenWhileOff,
    document: "mutation { deactivateOrganization { id } }",
  },
  "Mutation.reactivateOrganization": {
    row: ROWS.managerEvenWhileOff,
    document: "mutation { reactivateOrganization { id } }",
  },
  "Mutation.signIn": {
    row: ROWS.anyone,
    document: "mutation ($input: SignInInput!) { signIn(input: $input) { expiresAt } }",
    variables: async ({ gateway }) => ({ input: gateway.ownerCredentials }),
  },
  "Mutation.signInWithCookie": {
    row: ROWS.anyone,
    document: "mutation ($input: SignInInput!) { signInWithCookie(input: $input) { expiresAt } }",
    variables: async ({ gateway }) => ({ input: gateway.ownerCredentials }),
  },
  "Mutation.signOut": { row: ROWS.memberEvenWhileOff, document: "mutation { signOut }" },
  "Mutation.signOutEverywhere": { row: ROWS.memberEvenWhileOff, document: "mutation { signOutEverywhere }" },
  "Mutation.changePassword": {
    row: ROWS.memberEvenWhileOff,
    document: "mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }",
    variables: async () => ({ input: { currentPassword: TEST_PASSWORD, newPassword: TEST_PASSWORD } }),
  },
};

/** The REST routes, all of which are for agent keys. */
export const ROUTES_TABLE = [
  { operationId: "listPets", method: "GET", path: "/v1/pets" },
  { operationId: "createPet", method: "POST", path: "/v1/pets", body: { name: "Rex", categoryId: 1 } },
  { operationId: "getPet", method: "GET", path: "/v1/pets/1" },
  { operationId: "whoami", method: "GET", path: "/agent/whoami" },
  { operationId: "sendMessage", method: "POST", path: "/messages", body: { message: "hello" } },
].map((route) => ({ row: ROWS.agentKey, ...route }));
