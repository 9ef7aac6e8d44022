// Written by `npm run fix` from schema.graphql and the *.graphql files here.
/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import { TypedDocumentString } from "../api/typed-document";
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
/** What was done. */
export const AuditAction = {
  /** An agent was created. */
  AgentCreated: 'agent_created',
  /** An agent was deleted, with everything that belongs to it except its keys. */
  AgentDeleted: 'agent_deleted',
  /** An agent was given another display name. */
  AgentRenamed: 'agent_renamed',
  /** An API key was presented from an address outside of its allowed networks; counted per minute. */
  ApiKeyAddressRefused: 'api_key_address_refused',
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
  /** The settings of an API key were changed. */
  ApiKeyUpdated: 'api_key_updated',
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
  /** A person accepted an invitation and became a member. */
  InvitationAccepted: 'invitation_accepted',
  /** A person was invited to become a member. */
  InvitationCreated: 'invitation_created',
  /** An invitation was withdrawn, replaced, or ended with the permissions of its sender. */
  InvitationWithdrawn: 'invitation_withdrawn',
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
  /** A change of an e-mail address failed: the password was wrong, or the address was in use. */
  MemberEmailChangeFailed: 'member_email_change_failed',
  /** A member changed their e-mail address. */
  MemberEmailChanged: 'member_email_changed',
  /** A password change failed because of a wrong current password. */
  MemberPasswordChangeFailed: 'member_password_change_failed',
  /** A member's password was changed, which ended their other sessions. */
  MemberPasswordChanged: 'member_password_changed',
  /** A member's permissions were changed. */
  MemberPermissionsChanged: 'member_permissions_changed',
  /** A member was removed, which ended their sessions. */
  MemberRemoved: 'member_removed',
  /** One session of a member was ended. */
  MemberSessionEnded: 'member_session_ended',
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
  /** An organization was given another display name. */
  OrganizationRenamed: 'organization_renamed',
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
export type AuditLogQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  action?: AuditAction | null | undefined;
  actorId?: string | null | undefined;
  targetId?: string | null | undefined;
  since?: string | null | undefined;
  until?: string | null | undefined;
  counted: boolean;
}>;


export type AuditLogQuery = { auditLog: { nodes: Array<{ id: string, action: AuditAction, actorKind: ActorKind, actorId: string | null, actorName: string, targetId: string, targetName: string, targetHint: string | null, detail: string | null, ip: string | null, userAgent: string | null, requestId: string | null, count: number, createdAt: string, changes: Array<{ field: string, before: string | null, after: string | null }> }>, totalCount?: { count: number, isExact: boolean }, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };


export const AuditLogDocument = new TypedDocumentString(`
    query AuditLog($first: Int!, $after: String, $action: AuditAction, $actorId: ID, $targetId: ID, $since: DateTimeISO, $until: DateTimeISO, $counted: Boolean!) {
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
    totalCount @include(if: $counted) {
      count
      isExact
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<AuditLogQuery, AuditLogQueryVariables>;
