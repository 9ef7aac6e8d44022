// Written by `npm run fix` from schema.graphql and the *.graphql files here.
/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** The kind of caller that performed the action. */
export const ActorKind = {
  /** A system that presented an API key. */
  Agent: 'agent',
  /** A caller who was not signed in. */
  Anonymous: 'anonymous',
  /** A signed-in member. */
  Member: 'member',
  /** The server's command line or its first start. */
  Operator: 'operator',
  /** The gateway itself, such as when it pauses a line. */
  System: 'system'
} as const;

export type ActorKind = typeof ActorKind[keyof typeof ActorKind];
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
/** What was done. */
export const AuditAction = {
  /** An agent was created. */
  AgentCreated: 'agent_created',
  /** An API key was minted. */
  ApiKeyCreated: 'api_key_created',
  /** A revoked, expired or unresolvable API key was presented; counted per minute. */
  ApiKeyRefused: 'api_key_refused',
  /** An API key was renamed. */
  ApiKeyRenamed: 'api_key_renamed',
  /** An API key was revoked. */
  ApiKeyRevoked: 'api_key_revoked',
  /** An API key was replaced by a new one. */
  ApiKeyRotated: 'api_key_rotated',
  /** A configuration of an agent was published. */
  ConfigurationPublished: 'configuration_published',
  /** A contact was erased. */
  ContactErased: 'contact_erased',
  /** A conversation was handed off to a human. */
  ConversationHandedOff: 'conversation_handed_off',
  /** A conversation was moved to another line. */
  ConversationMoved: 'conversation_moved',
  /** A line became the default line of its agent. */
  DefaultLineSet: 'default_line_set',
  /** A line was archived. */
  LineArchived: 'line_archived',
  /** A line was created. */
  LineCreated: 'line_created',
  /** A line was paused. */
  LinePaused: 'line_paused',
  /** A paused or archived line was resumed. */
  LineResumed: 'line_resumed',
  /** A line got a new signing secret. */
  LineSecretRotated: 'line_secret_rotated',
  /** A line lost its signing secret or its password, because the instance key was replaced. */
  LineSecretsLost: 'line_secrets_lost',
  /** A test message was sent on a line. */
  LineTested: 'line_tested',
  /** The name or the settings of a line were changed. */
  LineUpdated: 'line_updated',
  /** A member was added. */
  MemberCreated: 'member_created',
  /** A password change failed because of a wrong current password. */
  MemberPasswordChangeFailed: 'member_password_change_failed',
  /** A member's password was changed, which ended their other sessions. */
  MemberPasswordChanged: 'member_password_changed',
  /** A member's permissions were changed. */
  MemberPermissionsChanged: 'member_permissions_changed',
  /** A sign-in as a member failed because of a wrong password. */
  MemberSignInFailed: 'member_sign_in_failed',
  /** A member signed in. */
  MemberSignedIn: 'member_signed_in',
  /** A member ended a session. */
  MemberSignedOut: 'member_signed_out',
  /** A member ended all of their sessions. */
  MemberSignedOutEverywhere: 'member_signed_out_everywhere',
  /** Messages queued by an earlier version were released for delivery. */
  MessagesReleased: 'messages_released',
  /** An organization was created. */
  OrganizationCreated: 'organization_created',
  /** An organization was deactivated, so its keys stopped resolving. */
  OrganizationDeactivated: 'organization_deactivated',
  /** An organization was reactivated, so its keys resolve again. */
  OrganizationReactivated: 'organization_reactivated',
  /** A webhook endpoint was created. */
  WebhookEndpointCreated: 'webhook_endpoint_created',
  /** A webhook endpoint was deleted. */
  WebhookEndpointDeleted: 'webhook_endpoint_deleted',
  /** A webhook endpoint was disabled. */
  WebhookEndpointDisabled: 'webhook_endpoint_disabled',
  /** A webhook endpoint was enabled. */
  WebhookEndpointEnabled: 'webhook_endpoint_enabled',
  /** A webhook endpoint lost its signing secret, because the instance key was replaced. */
  WebhookEndpointSecretLost: 'webhook_endpoint_secret_lost',
  /** A webhook endpoint got a new signing secret. */
  WebhookEndpointSecretRotated: 'webhook_endpoint_secret_rotated',
  /** A test event was sent to a webhook endpoint. */
  WebhookEndpointTested: 'webhook_endpoint_tested',
  /** The settings of a webhook endpoint were changed. */
  WebhookEndpointUpdated: 'webhook_endpoint_updated',
  /** Events were to be delivered to a webhook endpoint again. */
  WebhookRedeliveryRequested: 'webhook_redelivery_requested'
} as const;

export type AuditAction = typeof AuditAction[keyof typeof AuditAction];
/** An API key to mint. */
export type NewApiKey = {
  /** ID of the agent that the key resolves to. */
  agentId: string;
  /** When the key expires; null if it never does. */
  expiresAt?: string | null | undefined;
  /** Makes retries safe: within 24 hours, the same idempotency key and input revoke the API key that the first call minted and mint a replacement, because a secret is shown only once. */
  idempotencyKey?: string | null | undefined;
  /** Where the key is used, 1 to 100 characters; leading and trailing blanks are removed. The name is unique among the active keys of an agent. */
  name: string;
  /** The scopes of the key, at least one; null or omitted for all scopes, including those that later versions add. Scopes cannot be changed later. */
  scopes?: Array<Scope> | null | undefined;
};

/** What a member may do in the organization beyond viewing agents and members. */
export const Permission = {
  /** `config:manage`: manage API keys, members and the organization, and read the audit log. */
  ConfigManage: 'config_manage',
  /** `conversations:read`: read the conversations of the agents. */
  ConversationsRead: 'conversations_read',
  /** `conversations:write`: write in conversations and manage contacts. */
  ConversationsWrite: 'conversations_write'
} as const;

export type Permission = typeof Permission[keyof typeof Permission];
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
/** Credentials of a member. */
export type SignInInput = {
  /** E-mail address, case-insensitive. */
  email: string;
  /** Password. */
  password: string;
};

/** Period of a usage report. */
export const UsagePeriod = {
  /** 24 buckets of one hour; the last is the current hour. */
  Last_24Hours: 'last_24_hours',
  /** 30 buckets of one UTC day; the last is the current day. */
  Last_30Days: 'last_30_days'
} as const;

export type UsagePeriod = typeof UsagePeriod[keyof typeof UsagePeriod];
export type KeyFragment = { id: string, name: string, hint: string, state: ApiKeyState, createdAt: string, createdBy: string | null, expiresAt: string | null, revokedAt: string | null, lastUsedAt: string | null, lastUsedIp: string | null, scopes: Array<Scope> | null, replacedById: string | null, agent: { id: string, slug: string, name: string } };

export type ApiKeysQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  search?: string | null | undefined;
  agentId?: string | null | undefined;
  state?: ApiKeyState | null | undefined;
}>;


export type ApiKeysQuery = { apiKeys: { nodes: Array<{ id: string, name: string, hint: string, state: ApiKeyState, createdAt: string, createdBy: string | null, expiresAt: string | null, revokedAt: string | null, lastUsedAt: string | null, lastUsedIp: string | null, scopes: Array<Scope> | null, replacedById: string | null, agent: { id: string, slug: string, name: string } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type CreateApiKeyMutationVariables = Exact<{
  input: NewApiKey;
}>;


export type CreateApiKeyMutation = { createApiKey: { secret: string, apiKey: { id: string, name: string, hint: string, state: ApiKeyState, createdAt: string, createdBy: string | null, expiresAt: string | null, revokedAt: string | null, lastUsedAt: string | null, lastUsedIp: string | null, scopes: Array<Scope> | null, replacedById: string | null, agent: { id: string, slug: string, name: string } } } };

export type RotateApiKeyMutationVariables = Exact<{
  id: string;
  graceSeconds: number;
}>;


export type RotateApiKeyMutation = { rotateApiKey: { secret: string, apiKey: { id: string, name: string, hint: string, state: ApiKeyState, createdAt: string, createdBy: string | null, expiresAt: string | null, revokedAt: string | null, lastUsedAt: string | null, lastUsedIp: string | null, scopes: Array<Scope> | null, replacedById: string | null, agent: { id: string, slug: string, name: string } } } };

export type RenameApiKeyMutationVariables = Exact<{
  id: string;
  name: string;
}>;


export type RenameApiKeyMutation = { renameApiKey: { id: string } };

export type RevokeApiKeyMutationVariables = Exact<{
  id: string;
}>;


export type RevokeApiKeyMutation = { revokeApiKey: { id: string } };

export type AuditLogQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  action?: AuditAction | null | undefined;
  actorId?: string | null | undefined;
  targetId?: string | null | undefined;
  since?: string | null | undefined;
  until?: string | null | undefined;
}>;


export type AuditLogQuery = { auditLog: { nodes: Array<{ id: string, action: AuditAction, actorKind: ActorKind, actorId: string | null, actorName: string, targetId: string, targetName: string, targetHint: string | null, detail: string | null, ip: string | null, userAgent: string | null, requestId: string | null, count: number, createdAt: string, changes: Array<{ field: string, before: string | null, after: string | null }> }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type MembersQueryVariables = Exact<{ [key: string]: never; }>;


export type MembersQuery = { members: Array<{ id: string, email: string, permissions: Array<Permission> }> };

export type DeactivateOrganizationMutationVariables = Exact<{ [key: string]: never; }>;


export type DeactivateOrganizationMutation = { deactivateOrganization: { id: string, deactivatedAt: string | null } };

export type ReactivateOrganizationMutationVariables = Exact<{ [key: string]: never; }>;


export type ReactivateOrganizationMutation = { reactivateOrganization: { id: string, deactivatedAt: string | null } };

export type AgentsQueryVariables = Exact<{ [key: string]: never; }>;


export type AgentsQuery = { agents: Array<{ id: string, slug: string, name: string }> };

export type FirstStepsQueryVariables = Exact<{ [key: string]: never; }>;


export type FirstStepsQuery = { firstSteps: { keyMinted: boolean, keyUsed: boolean, petAdded: boolean, messageQueued: boolean } };

export type KeyUsageQueryVariables = Exact<{
  period: UsagePeriod;
}>;


export type KeyUsageQuery = { keyUsage: Array<{ accepted: number, refused: number, apiKey: { id: string, name: string, hint: string, state: ApiKeyState, agent: { id: string, name: string } }, buckets: Array<{ start: string, accepted: number, refused: number }> }> };

export type ViewerFragment = { id: string, email: string, permissions: Array<Permission>, organization: { id: string, slug: string, name: string, deactivatedAt: string | null } };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { id: string, email: string, permissions: Array<Permission>, organization: { id: string, slug: string, name: string, deactivatedAt: string | null } } };

export type SignInMutationVariables = Exact<{
  input: SignInInput;
}>;


export type SignInMutation = { signInWithCookie: { member: { id: string, email: string, permissions: Array<Permission>, organization: { id: string, slug: string, name: string, deactivatedAt: string | null } } } };

export type SignOutMutationVariables = Exact<{ [key: string]: never; }>;


export type SignOutMutation = { signOut: boolean };

export type SignOutEverywhereMutationVariables = Exact<{ [key: string]: never; }>;


export type SignOutEverywhereMutation = { signOutEverywhere: number };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
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
  replacedById
  agent {
    id
    slug
    name
  }
}
    `, {"fragmentName":"Key"}) as unknown as TypedDocumentString<KeyFragment, unknown>;
export const ViewerFragmentDoc = new TypedDocumentString(`
    fragment Viewer on Member {
  id
  email
  permissions
  organization {
    id
    slug
    name
    deactivatedAt
  }
}
    `, {"fragmentName":"Viewer"}) as unknown as TypedDocumentString<ViewerFragment, unknown>;
export const ApiKeysDocument = new TypedDocumentString(`
    query ApiKeys($first: Int!, $after: String, $search: String, $agentId: ID, $state: ApiKeyState) {
  apiKeys(
    first: $first
    after: $after
    search: $search
    agentId: $agentId
    state: $state
  ) {
    nodes {
      ...Key
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
  replacedById
  agent {
    id
    slug
    name
  }
}`) as unknown as TypedDocumentString<ApiKeysQuery, ApiKeysQueryVariables>;
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
  replacedById
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
  replacedById
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
export const RevokeApiKeyDocument = new TypedDocumentString(`
    mutation RevokeApiKey($id: ID!) {
  revokeApiKey(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<RevokeApiKeyMutation, RevokeApiKeyMutationVariables>;
export const AuditLogDocument = new TypedDocumentString(`
    query AuditLog($first: Int!, $after: String, $action: AuditAction, $actorId: ID, $targetId: ID, $since: DateTimeISO, $until: DateTimeISO) {
  auditLog(
    first: $first
    after: $after
    action: $action
    actorId: $actorId
    targetId: $targetId
    since: $since
    until: $until
  ) {
    nodes {
      id
      action
      actorKind
      actorId
      actorName
      targetId
      targetName
      targetHint
      changes {
        field
        before
        after
      }
      detail
      ip
      userAgent
      requestId
      count
      createdAt
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<AuditLogQuery, AuditLogQueryVariables>;
export const MembersDocument = new TypedDocumentString(`
    query Members {
  members {
    id
    email
    permissions
  }
}
    `) as unknown as TypedDocumentString<MembersQuery, MembersQueryVariables>;
export const DeactivateOrganizationDocument = new TypedDocumentString(`
    mutation DeactivateOrganization {
  deactivateOrganization {
    id
    deactivatedAt
  }
}
    `) as unknown as TypedDocumentString<DeactivateOrganizationMutation, DeactivateOrganizationMutationVariables>;
export const ReactivateOrganizationDocument = new TypedDocumentString(`
    mutation ReactivateOrganization {
  reactivateOrganization {
    id
    deactivatedAt
  }
}
    `) as unknown as TypedDocumentString<ReactivateOrganizationMutation, ReactivateOrganizationMutationVariables>;
export const AgentsDocument = new TypedDocumentString(`
    query Agents {
  agents {
    id
    slug
    name
  }
}
    `) as unknown as TypedDocumentString<AgentsQuery, AgentsQueryVariables>;
export const FirstStepsDocument = new TypedDocumentString(`
    query FirstSteps {
  firstSteps {
    keyMinted
    keyUsed
    petAdded
    messageQueued
  }
}
    `) as unknown as TypedDocumentString<FirstStepsQuery, FirstStepsQueryVariables>;
export const KeyUsageDocument = new TypedDocumentString(`
    query KeyUsage($period: UsagePeriod!) {
  keyUsage(period: $period) {
    accepted
    refused
    apiKey {
      id
      name
      hint
      state
      agent {
        id
        name
      }
    }
    buckets {
      start
      accepted
      refused
    }
  }
}
    `) as unknown as TypedDocumentString<KeyUsageQuery, KeyUsageQueryVariables>;
export const ViewerDocument = new TypedDocumentString(`
    query Viewer {
  viewer {
    ...Viewer
  }
}
    fragment Viewer on Member {
  id
  email
  permissions
  organization {
    id
    slug
    name
    deactivatedAt
  }
}`) as unknown as TypedDocumentString<ViewerQuery, ViewerQueryVariables>;
export const SignInDocument = new TypedDocumentString(`
    mutation SignIn($input: SignInInput!) {
  signInWithCookie(input: $input) {
    member {
      ...Viewer
    }
  }
}
    fragment Viewer on Member {
  id
  email
  permissions
  organization {
    id
    slug
    name
    deactivatedAt
  }
}`) as unknown as TypedDocumentString<SignInMutation, SignInMutationVariables>;
export const SignOutDocument = new TypedDocumentString(`
    mutation SignOut {
  signOut
}
    `) as unknown as TypedDocumentString<SignOutMutation, SignOutMutationVariables>;
export const SignOutEverywhereDocument = new TypedDocumentString(`
    mutation SignOutEverywhere {
  signOutEverywhere
}
    `) as unknown as TypedDocumentString<SignOutEverywhereMutation, SignOutEverywhereMutationVariables>;
