// Written by `npm run fix` from schema.graphql and the *.graphql files here.
/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import { TypedDocumentString } from "../api/typed-document";
/** Whether the link of an invitation was sent by mail. */
export const InvitationMail = {
  /** The mail server did not accept the mail: pass the link on yourself. */
  Failed: 'failed',
  /** The server sends no mail: pass the link on yourself. */
  Off: 'off',
  /** The mail server has accepted the mail. */
  Sent: 'sent'
} as const;

export type InvitationMail = typeof InvitationMail[keyof typeof InvitationMail];
/** A person to invite. */
export type InviteMemberInput = {
  /** E-mail address of the person, case-insensitive. A pending invitation of it is replaced. */
  email: string;
  /** Permissions that the member will have; none if omitted. */
  permissions?: Array<Permission>;
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
export type MembersQueryVariables = Exact<{ [key: string]: never; }>;


export type MembersQuery = { members: Array<{ id: string, email: string, permissions: Array<Permission> }> };

export type InvitationsQueryVariables = Exact<{ [key: string]: never; }>;


export type InvitationsQuery = { invitations: Array<{ id: string, email: string, permissions: Array<Permission>, invitedBy: string, createdAt: string, expiresAt: string }> };

export type InviteMemberMutationVariables = Exact<{
  input: InviteMemberInput;
}>;


export type InviteMemberMutation = { inviteMember: { link: string, mail: InvitationMail, invitation: { email: string } } };

export type WithdrawInvitationMutationVariables = Exact<{
  id: string;
}>;


export type WithdrawInvitationMutation = { withdrawInvitation: { id: string } };

export type GrantPermissionMutationVariables = Exact<{
  memberId: string;
  permission: Permission;
}>;


export type GrantPermissionMutation = { grantPermission: { id: string } };

export type RevokePermissionMutationVariables = Exact<{
  memberId: string;
  permission: Permission;
}>;


export type RevokePermissionMutation = { revokePermission: { id: string } };

export type RemoveMemberMutationVariables = Exact<{
  id: string;
}>;


export type RemoveMemberMutation = { removeMember: { id: string } };

export type SessionsQueryVariables = Exact<{
  memberId?: string | null | undefined;
}>;


export type SessionsQuery = { sessions: Array<{ id: string, createdAt: string, expiresAt: string, ip: string | null, isCurrent: boolean, userAgent: string | null }> };

export type EndSessionMutationVariables = Exact<{
  id: string;
}>;


export type EndSessionMutation = { endSession: { id: string } };


export const MembersDocument = new TypedDocumentString(`
    query Members {
  members {
    id
    email
    permissions
  }
}
    `) as unknown as TypedDocumentString<MembersQuery, MembersQueryVariables>;
export const InvitationsDocument = new TypedDocumentString(`
    query Invitations {
  invitations {
    id
    email
    permissions
    invitedBy
    createdAt
    expiresAt
  }
}
    `) as unknown as TypedDocumentString<InvitationsQuery, InvitationsQueryVariables>;
export const InviteMemberDocument = new TypedDocumentString(`
    mutation InviteMember($input: InviteMemberInput!) {
  inviteMember(input: $input) {
    link
    mail
    invitation {
      email
    }
  }
}
    `) as unknown as TypedDocumentString<InviteMemberMutation, InviteMemberMutationVariables>;
export const WithdrawInvitationDocument = new TypedDocumentString(`
    mutation WithdrawInvitation($id: ID!) {
  withdrawInvitation(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<WithdrawInvitationMutation, WithdrawInvitationMutationVariables>;
export const GrantPermissionDocument = new TypedDocumentString(`
    mutation GrantPermission($memberId: ID!, $permission: Permission!) {
  grantPermission(memberId: $memberId, permission: $permission) {
    id
  }
}
    `) as unknown as TypedDocumentString<GrantPermissionMutation, GrantPermissionMutationVariables>;
export const RevokePermissionDocument = new TypedDocumentString(`
    mutation RevokePermission($memberId: ID!, $permission: Permission!) {
  revokePermission(memberId: $memberId, permission: $permission) {
    id
  }
}
    `) as unknown as TypedDocumentString<RevokePermissionMutation, RevokePermissionMutationVariables>;
export const RemoveMemberDocument = new TypedDocumentString(`
    mutation RemoveMember($id: ID!) {
  removeMember(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<RemoveMemberMutation, RemoveMemberMutationVariables>;
export const SessionsDocument = new TypedDocumentString(`
    query Sessions($memberId: ID) {
  sessions(memberId: $memberId) {
    id
    createdAt
    expiresAt
    ip
    isCurrent
    userAgent
  }
}
    `) as unknown as TypedDocumentString<SessionsQuery, SessionsQueryVariables>;
export const EndSessionDocument = new TypedDocumentString(`
    mutation EndSession($id: ID!) {
  endSession(id: $id) {
    id
  }
}
    `) as unknown as TypedDocumentString<EndSessionMutation, EndSessionMutationVariables>;
