// Written by `npm run fix` from schema.graphql and the *.graphql files here.
/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import { TypedDocumentString } from "../api/typed-document";
export type RenameOrganizationMutationVariables = Exact<{
  name: string;
}>;


export type RenameOrganizationMutation = { renameOrganization: { id: string } };

export type DeactivateOrganizationMutationVariables = Exact<{ [key: string]: never; }>;


export type DeactivateOrganizationMutation = { deactivateOrganization: { id: string, deactivatedAt: string | null } };

export type ReactivateOrganizationMutationVariables = Exact<{ [key: string]: never; }>;


export type ReactivateOrganizationMutation = { reactivateOrganization: { id: string, deactivatedAt: string | null } };


export const RenameOrganizationDocument = new TypedDocumentString(`
    mutation RenameOrganization($name: String!) {
  renameOrganization(name: $name) {
    id
  }
}
    `) as unknown as TypedDocumentString<RenameOrganizationMutation, RenameOrganizationMutationVariables>;
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
