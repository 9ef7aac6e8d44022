// Written by `npm run fix` from schema.graphql and the *.graphql files here.
/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import { TypedDocumentString } from "../api/typed-document";
/** Changes of an active API key; omitted fields stay as they are. */
export type ApiKeyChanges = {
  /** Networks in CIDR notation from which the key is accepted, such as `192.0.2.0/24` or `2001:db8::/32`, at most 40; null or empty for anywhere. */
  allowedNetworks?: Array<string> | null | undefined;
  /** What the key is for, 1 to 500 characters; leading and trailing blanks are removed. Null for none. */
  description?: string | null | undefined;
  /** ID of the key. */
  id: string;
  /** The new name; the rules are those of `NewApiKey.name`. It cannot be null. */
  name?: string | null | undefined;
  /** Max requests with the key per minute and process of the server, 1 to 100,000,000, in place of the server's limit; null for that. */
  rateLimitPerMinute?: number | null | undefined;
};

/** State of an API key. */
export const ApiKeyState = {
  /** Accepted while the organization is active. */
  Active: 'active',
  /** Past its expiry, refused with 401. */
  Expired: 'expired',
  /** Permanently refused with 403. */
  Revoked: 'revoked'
} as const;

export type ApiKeyState = typeof ApiKeyState[keyof typeof ApiKeyState];
/** Why an API key was refused. */
export const KeyRefusal = {
  /** It was used from an address that it does not allow. */
  Address: 'address',
  /** It was revoked, expired or unresolvable. */
  Inactive: 'inactive'
} as const;

export type KeyRefusal = typeof KeyRefusal[keyof typeof KeyRefusal];
/** An API key to mint. */
export type NewApiKey = {
  /** ID of the agent that the key resolves to. */
  agentId: string;
  /** Networks in CIDR notation from which the key is accepted, such as `192.0.2.0/24` or `2001:db8::/32`, at most 40; null or empty for anywhere. */
  allowedNetworks?: Array<string> | null | undefined;
  /** What the key is for, 1 to 500 characters; leading and trailing blanks are removed. Null for none. */
  description?: string | null | undefined;
  /** When the key expires; null if it never does. */
  expiresAt?: string | null | undefined;
  /** Makes retries safe: within 24 hours, the same idempotency key and input revoke the API key that the first call minted and mint a replacement, because a secret is shown only once. */
  idempotencyKey?: string | null | undefined;
  /** Where the key is used, 1 to 100 characters; leading and trailing blanks are removed. The name is unique among the active keys of an agent. */
  name: string;
  /** Max requests with the key per minute and process of the server, 1 to 100,000,000, in place of the server's limit; null for that. */
  rateLimitPerMinute?: number | null | undefined;
  /** The scopes of the key, at least one; null or omitted for all scopes, including those that later versions add. Scopes cannot be changed later. */
  scopes?: Array<Scope> | null | undefined;
};

/** What an API key may be used for. */
export const Scope = {
  /** `agent:decide`: have the agent decide, and do what its configuration says. */
  AgentDecide: 'agent_decide',
  /** `agent:read`: read the agent's configuration, lines and decisions. */
  AgentRead: 'agent_read',
  /** `contacts:read`: list and read contacts. */
  ContactsRead: 'contacts_read',
  /** `contacts:write`: add, change and erase contacts. */
  ContactsWrite: 'contacts_write',
  /** `conversations:read`: list and read conversations. */
  ConversationsRead: 'conversations_read',
  /** `conversations:write`: open, move, hand off and close conversations. */
  ConversationsWrite: 'conversations_write',
  /** `events:read`: read and follow the agent's events. */
  EventsRead: 'events_read',
  /** `messages:read`: list and read the agent's messages. */
  MessagesRead: 'messages_read',
  /** `messages:write`: queue and cancel messages. */
  MessagesWrite: 'messages_write',
  /** `pets:read`: list and read pets. */
  PetsRead: 'pets_read',
  /** `pets:write`: add pets. */
  PetsWrite: 'pets_write'
} as const;

export type Scope = typeof Scope[keyof typeof Scope];
/** Period of a usage report. */
export const UsagePeriod = {
  /** 24 buckets of one hour; the last is the current hour. */
  Last_24Hours: 'last_24_hours',
  /** 30 buckets of one UTC day; the last is the current day. */
  Last_30Days: 'last_30_days'
} as const;

export type UsagePeriod = typeof UsagePeriod[keyof typeof UsagePeriod];
export type KeyFragment = { id: string, name: string, hint: string, state: ApiKeyState, createdAt: string, createdBy: string | null, expiresAt: string | null, revokedAt: string | null, lastUsedAt: string | null, lastUsedIp: string | null, scopes: Array<Scope> | null, description: string | null, rateLimitPerMinute: number | null, allowedNetworks: Array<string> | null, replacedById: string | null, isReplaced: boolean, agent: { id: string, slug: string, name: string } };

export type ApiKeysQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  search?: string | null | undefined;
  agentId?: string | null | undefined;
  state?: ApiKeyState | null | undefined;
  expiresWithinDays?: number | null | undefined;
}>;


export type ApiKeysQuery = { apiKeys: { nodes: Array<{ id: string, name: string, hint: string, state: ApiKeyState, createdAt: string, createdBy: string | null, expiresAt: string | null, revokedAt: string | null, lastUsedAt: string | null, lastUsedIp: string | null, scopes: Array<Scope> | null, description: string | null, rateLimitPerMinute: number | null, allowedNetworks: Array<string> | null, replacedById: string | null, isReplaced: boolean, agent: { id: string, slug: string, name: string } }>, totalCount: { count: number, isExact: boolean }, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type KeysToWatchQueryVariables = Exact<{
  days: number;
}>;


export type KeysToWatchQuery = { expiring: { totalCount: { count: number, isExact: boolean } }, refused: Array<{ refused: number, lastRefusal: KeyRefusal | null, apiKey: { id: string } }> };

export type ApiKeyQueryVariables = Exact<{
  id: string;
}>;


export type ApiKeyQuery = { apiKey: { id: string, name: string, hint: string, state: ApiKeyState, createdAt: string, createdBy: string | null, expiresAt: string | null, revokedAt: string | null, lastUsedAt: string | null, lastUsedIp: string | null, scopes: Array<Scope> | null, description: string | null, rateLimitPerMinute: number | null, allowedNetworks: Array<string> | null, replacedById: string | null, isReplaced: boolean, agent: { id: string, slug: string, name: string } } | null };

export type ReplacedKeyQueryVariables = Exact<{
  id: string;
}>;


export type ReplacedKeyQuery = { apiKeys: { nodes: Array<{ id: string, name: string, hint: string, state: ApiKeyState, createdAt: string, createdBy: string | null, expiresAt: string | null, revokedAt: string | null, lastUsedAt: string | null, lastUsedIp: string | null, scopes: Array<Scope> | null, description: string | null, rateLimitPerMinute: number | null, allowedNetworks: Array<string> | null, replacedById: string | null, isReplaced: boolean, agent: { id: string, slug: string, name: string } }> } };

export type UsageOfKeyQueryVariables = Exact<{
  id: string;
  period: UsagePeriod;
}>;


export type UsageOfKeyQuery = { keyUsage: Array<{ accepted: number, refused: number, lastRefusal: KeyRefusal | null, buckets: Array<{ start: string, accepted: number, refused: number }> }> };

export type CreateApiKeyMutationVariables = Exact<{
  input: NewApiKey;
}>;


export type CreateApiKeyMutation = { createApiKey: { secret: string, apiKey: { id: string, name: string, hint: string, state: ApiKeyState, createdAt: string, createdBy: string | null, expiresAt: string | null, revokedAt: string | null, lastUsedAt: string | null, lastUsedIp: string | null, scopes: Array<Scope> | null, description: string | null, rateLimitPerMinute: number | null, allowedNetworks: Array<string> | null, replacedById: string | null, isReplaced: boolean, agent: { id: string, slug: string, name: string } } } };

export type RotateApiKeyMutationVariables = Exact<{
  id: string;
  graceSeconds: number;
}>;


export type RotateApiKeyMutation = { rotateApiKey: { secret: string, apiKey: { id: string, name: string, hint: string, state: ApiKeyState, createdAt: string, createdBy: string | null, expiresAt: string | null, revokedAt: string | null, lastUsedAt: string | null, lastUsedIp: string | null, scopes: Array<Scope> | null, description: string | null, rateLimitPerMinute: number | null, allowedNetworks: Array<string> | null, replacedById: string | null, isReplaced: boolean, agent: { id: string, slug: string, name: string } } } };

export type RenameApiKeyMutationVariables = Exact<{
  id: string;
  name: string;
}>;


export type RenameApiKeyMutation = { renameApiKey: { id: string } };

export type UpdateApiKeyMutationVariables = Exact<{
  input: ApiKeyChanges;
}>;


export type UpdateApiKeyMutation = { updateApiKey: { id: string } };

export type RevokeApiKeyMutationVariables = Exact<{
  id: string;
  keepReplaced: boolean;
}>;


export type RevokeApiKeyMutation = { revokeApiKey: { id: string } };

export const KeyFragmentDoc = new TypedDocumentString(`
    fragment Key on ApiKey {
  id
  name
  hint
  state
  createdAt
  createdBy
  expiresAt
  revokedAt
  lastUsedAt
  lastUsedIp
  scopes
  description
  rateLimitPerMinute
  allowedNetworks
  replacedById
  isReplaced
  agent {
    id
    slug
    name
  }
}
    `, {"fragmentName":"Key"}) as unknown as TypedDocumentString<KeyFragment, unknown>;
export const ApiKeysDocument = new TypedDocumentString(`
    query ApiKeys($first: Int!, $after: String, $search: String, $agentId: ID, $state: ApiKeyState, $expiresWithinDays: Int) {
  apiKeys(
    first: $first
    after: $after
    search: $search
    agentId: $agentId
    state: $state
    expiresWithinDays: $expiresWithinDays
  ) {
    nodes {
      ...Key
    }
    totalCount {
      count
      isExact
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment Key on ApiKey {
  id
  name
  hint
  state
  createdAt
  createdBy
  expiresAt
  revokedAt
  lastUsedAt
  lastUsedIp
  scopes
  description
  rateLimitPerMinute
  allowedNetworks
  replacedById
  isReplaced
  agent {
    id
    slug
    name
  }
}`) as unknown as TypedDocumentString<ApiKeysQuery, ApiKeysQueryVariables>;
export const KeysToWatchDocument = new TypedDocumentString(`
    query KeysToWatch($days: Int!) {
  expiring: apiKeys(first: 1, expiresWithinDays: $days) {
    totalCount {
      count
      isExact
    }
  }
  refused: keyUsage(outcome: refused) {
    refused
    lastRefusal
    apiKey {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<KeysToWatchQuery, KeysToWatchQueryVariables>;
export const ApiKeyDocument = new TypedDocumentString(`
    query ApiKey($id: ID!) {
  apiKey(id: $id) {
    ...Key
  }
}
    fragment Key on ApiKey {
  id
  name
  hint
  state
  createdAt
  createdBy
  expiresAt
  revokedAt
  lastUsedAt
  lastUsedIp
  scopes
  description
  rateLimitPerMinute
  allowedNetworks
  replacedById
  isReplaced
  agent {
    id
    slug
    name
  }
}`) as unknown as TypedDocumentString<ApiKeyQuery, ApiKeyQueryVariables>;
export const ReplacedKeyDocument = new TypedDocumentString(`
    query ReplacedKey($id: ID!) {
  apiKeys(first: 1, replacedById: $id, state: active) {
    nodes {
      ...Key
    }
  }
}
    fragment Key on ApiKey {
  id
  name
  hint
  state
  createdAt
  createdBy
  expiresAt
  revokedAt
  lastUsedAt
  lastUsedIp
  scopes
  description
  rateLimitPerMinute
  allowedNetworks
  replacedById
  isReplaced
  agent {
    id
    slug
    name
  }
}`) as unknown as TypedDocumentString<ReplacedKeyQuery, ReplacedKeyQueryVariables>;
export const UsageOfKeyDocument = new TypedDocumentString(`
    query UsageOfKey($id: ID!, $period: UsagePeriod!) {
  keyUsage(keyId: $id, period: $period) {
    accepted
    refused
    lastRefusal
    buckets {
      start
      accepted
      refused
    }
  }
}
    `) as unknown as TypedDocumentString<UsageOfKeyQuery, UsageOfKeyQueryVariables>;
export const CreateApiKeyDocument = new TypedDocumentString(`
    mutation CreateApiKey($input: NewApiKey!) {
  createApiKey(input: $input) {
    secret
    apiKey {
      ...Key
    }
  }
}
    fragment Key on ApiKey {
  id
  name
  hint
  state
  createdAt
  createdBy
  expiresAt
  revokedAt
  lastUsedAt
  lastUsedIp
  scopes
  description
  rateLimitPerMinute
  allowedNetworks
  replacedById
  isReplaced
  agent {
    id
    slug
    name
  }
}`) as unknown as TypedDocumentString<CreateApiKeyMutation, CreateApiKeyMutationVariables>;
export const RotateApiKeyDocument = new TypedDocumentString(`
    mutation RotateApiKey($id: ID!, $graceSeconds: Int!) {
  rotateApiKey(id: $id, graceSeconds: $graceSeconds) {
    secret
    apiKey {
      ...Key
    }
  }
}
    fragment Key on ApiKey {
  id
  name
  hint
  state
  createdAt
  createdBy
  expiresAt
  revokedAt
  lastUsedAt
  lastUsedIp
  scopes
  description
  rateLimitPerMinute
  allowedNetworks
  replacedById
  isReplaced
  agent {
    id
    slug
    name
  }
}`) as unknown as TypedDocumentString<RotateApiKeyMutation, RotateApiKeyMutationVariables>;
export const RenameApiKeyDocument = new TypedDocumentString(`
    mutation RenameApiKey($id: ID!, $name: String!) {
  renameApiKey(id: $id, name: $name) {
    id
  }
}
    `) as unknown as TypedDocumentString<RenameApiKeyMutation, RenameApiKeyMutationVariables>;
export const UpdateApiKeyDocument = new TypedDocumentString(`
    mutation UpdateApiKey($input: ApiKeyChanges!) {
  updateApiKey(input: $input) {
    id
  }
}
    `) as unknown as TypedDocumentString<UpdateApiKeyMutation, UpdateApiKeyMutationVariables>;
export const RevokeApiKeyDocument = new TypedDocumentString(`
    mutation RevokeApiKey($id: ID!, $keepReplaced: Boolean!) {
  revokeApiKey(id: $id, keepReplaced: $keepReplaced) {
    id
  }
}
    `) as unknown as TypedDocumentString<RevokeApiKeyMutation, RevokeApiKeyMutationVariables>;
