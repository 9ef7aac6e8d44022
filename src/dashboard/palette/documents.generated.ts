// Written by `npm run fix` from schema.graphql and the *.graphql files here.
/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import { TypedDocumentString } from "../api/typed-document";
export type FoundKeysQueryVariables = Exact<{
  search: string;
}>;


export type FoundKeysQuery = { apiKeys: { nodes: Array<{ id: string, name: string, hint: string, agent: { name: string } }> } };


export const FoundKeysDocument = new TypedDocumentString(`
    query FoundKeys($search: String!) {
  apiKeys(first: 5, search: $search) {
    nodes {
      id
      name
      hint
      agent {
        name
      }
    }
  }
}
    `) as unknown as TypedDocumentString<FoundKeysQuery, FoundKeysQueryVariables>;
