// Written by `npm run fix` from schema.graphql and the *.graphql files here.
/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import { TypedDocumentString } from "../api/typed-document";
/** A pet to add. */
export type NewPet = {
  /** ID (int64) of the pet's category. */
  categoryId: string;
  /** Makes retries safe: within 24 hours, the same key and input return the first result again. */
  idempotencyKey?: string | null | undefined;
  /** Name of the pet, 1 to 200 characters. */
  name: string;
  /** Availability; null or omitted if unknown. */
  status?: PetStatus | null | undefined;
};

/** Availability of a pet. */
export const PetStatus = {
  /** Available for sale. */
  Available: 'available',
  /** A sale is in progress. */
  Pending: 'pending',
  /** Sold. */
  Sold: 'sold'
} as const;

export type PetStatus = typeof PetStatus[keyof typeof PetStatus];
export type PetsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
  status?: PetStatus | null | undefined;
}>;


export type PetsQuery = { pets: { nodes: Array<{ id: string, name: string, categoryId: string, status: PetStatus | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null }, totalCount: { count: number, isExact: boolean } } };

export type CreatePetMutationVariables = Exact<{
  input: NewPet;
}>;


export type CreatePetMutation = { createPet: { id: string, name: string } };


export const PetsDocument = new TypedDocumentString(`
    query Pets($first: Int!, $after: String, $status: PetStatus) {
  pets(first: $first, after: $after, status: $status) {
    nodes {
      id
      name
      categoryId
      status
    }
    pageInfo {
      hasNextPage
      endCursor
    }
    totalCount {
      count
      isExact
    }
  }
}
    `) as unknown as TypedDocumentString<PetsQuery, PetsQueryVariables>;
export const CreatePetDocument = new TypedDocumentString(`
    mutation CreatePet($input: NewPet!) {
  createPet(input: $input) {
    id
    name
  }
}
    `) as unknown as TypedDocumentString<CreatePetMutation, CreatePetMutationVariables>;
