import { ApolloClient, HttpLink, InMemoryCache } from "@apollo/client";
import { relayStylePagination } from "@apollo/client/utilities";
import { graphql } from "./gql/gql.js";

const ADD = graphql(`
  mutation Add($name: String!) {
    createPet(input: { name: $name, categoryId: "1" }) {
      name
    }
  }
`);

const LISTS = graphql(`
  query Lists($first: Int!, $after: String, $events: String) {
    pets(first: $first, after: $after) {
      edges {
        node {
          id
          name
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
      totalCount
      isTotalCountExact
    }
    events(first: $first, after: $events) {
      edges {
        cursor
        node {
          id
          type
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

/** Adds a pet, and reads two pages of lists, which the cache merges. */
export async function use(url: string, key: string) {
  const client = new ApolloClient({
    link: new HttpLink({ uri: `${url}/graphql`, headers: { authorization: `Bearer ${key}` } }),
    cache: new InMemoryCache({
      typePolicies: { Query: { fields: { pets: relayStylePagination(), events: relayStylePagination() } } },
    }),
  });
  const added = await client.mutate({ mutation: ADD, variables: { name: "Apollo" } });
  const { data: first } = await client.query({ query: LISTS, variables: { first: 1 } });
  const variables = {
    first: 1,
    after: first?.pets?.pageInfo.endCursor ?? null,
    events: first?.events?.pageInfo.endCursor ?? null,
  };
  const { data } = await client.query({ query: LISTS, variables, fetchPolicy: "network-only" });
  return {
    created: added.data?.createPet?.name,
    pets: data?.pets?.edges.length,
    total: data?.pets?.totalCount,
    isExact: data?.pets?.isTotalCountExact,
    types: data?.events?.edges.map(({ node }) => node.type),
  };
}
