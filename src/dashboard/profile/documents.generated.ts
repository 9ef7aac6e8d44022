// Written by `npm run fix` from schema.graphql and the *.graphql files here.
/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import { TypedDocumentString } from "../api/typed-document";
/** A change of the member's e-mail address. */
export type ChangeEmailInput = {
  /** The current password. */
  currentPassword: string;
  /** The new e-mail address, to sign in with from now on. */
  email: string;
};

/** A change of the member's password. */
export type ChangePasswordInput = {
  /** The current password. */
  currentPassword: string;
  /** The new password, 12 to 200 characters. */
  newPassword: string;
};

export type ChangeEmailMutationVariables = Exact<{
  input: ChangeEmailInput;
}>;


export type ChangeEmailMutation = { changeEmail: { id: string, email: string } };

export type ChangePasswordMutationVariables = Exact<{
  input: ChangePasswordInput;
}>;


export type ChangePasswordMutation = { changePassword: boolean };


export const ChangeEmailDocument = new TypedDocumentString(`
    mutation ChangeEmail($input: ChangeEmailInput!) {
  changeEmail(input: $input) {
    id
    email
  }
}
    `) as unknown as TypedDocumentString<ChangeEmailMutation, ChangeEmailMutationVariables>;
export const ChangePasswordDocument = new TypedDocumentString(`
    mutation ChangePassword($input: ChangePasswordInput!) {
  changePassword(input: $input)
}
    `) as unknown as TypedDocumentString<ChangePasswordMutation, ChangePasswordMutationVariables>;
