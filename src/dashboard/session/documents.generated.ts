// Written by `npm run fix` from schema.graphql and the *.graphql files here.
/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import { TypedDocumentString } from "../api/typed-document";
/** The acceptance of an invitation. */
export type AcceptInvitationInput = {
  /** Password to sign in with, 12 to 200 characters. */
  password: string;
  /** Token of the invitation: the part of its link after `#`. */
  token: string;
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
/** Credentials of a member. */
export type SignInInput = {
  /** E-mail address, case-insensitive. */
  email: string;
  /** Password. */
  password: string;
};

export type ViewerFragment = { id: string, email: string, permissions: Array<Permission>, organization: { id: string, slug: string, name: string, deactivatedAt: string | null } };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { id: string, email: string, permissions: Array<Permission>, organization: { id: string, slug: string, name: string, deactivatedAt: string | null } } | null };

export type SignInMutationVariables = Exact<{
  input: SignInInput;
}>;


export type SignInMutation = { signInWithCookie: { member: { id: string, email: string, permissions: Array<Permission>, organization: { id: string, slug: string, name: string, deactivatedAt: string | null } } } };

export type SignOutMutationVariables = Exact<{ [key: string]: never; }>;


export type SignOutMutation = { signOut: boolean };

export type SignOutEverywhereMutationVariables = Exact<{ [key: string]: never; }>;


export type SignOutEverywhereMutation = { signOutEverywhere: number };

export type InvitationQueryVariables = Exact<{
  token: string;
}>;


export type InvitationQuery = { invitation: { email: string, invitedBy: string, organization: { name: string } } };

export type AcceptInvitationMutationVariables = Exact<{
  input: AcceptInvitationInput;
}>;


export type AcceptInvitationMutation = { acceptInvitationWithCookie: { expiresAt: string } };

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
export const ViewerDocument = new TypedDocumentString(`
    query Viewer {
  viewer: signedInMember {
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
export const InvitationDocument = new TypedDocumentString(`
    query Invitation($token: String!) {
  invitation(token: $token) {
    email
    invitedBy
    organization {
      name
    }
  }
}
    `) as unknown as TypedDocumentString<InvitationQuery, InvitationQueryVariables>;
export const AcceptInvitationDocument = new TypedDocumentString(`
    mutation AcceptInvitation($input: AcceptInvitationInput!) {
  acceptInvitationWithCookie(input: $input) {
    expiresAt
  }
}
    `) as unknown as TypedDocumentString<AcceptInvitationMutation, AcceptInvitationMutationVariables>;
