import { Client, fetchExchange } from "@urql/core";
import { initGraphQLTada } from "gql.tada";
import type { introspection } from "./graphql-env.js";

const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { DateTimeISO: string; JSON: unknown; JSONObject: Record<string, unknown> };
}>();

const ADD = graphql(`
  mutation Add($name: String!) {
    createPet(input: { name: $name, categoryId: "1" }) {
      name
    }
  }
`);

const LISTS = graphql(`
  query Lists($first: Int, $after: String, $types: [EventType!]) {
    pets(first: $first) {
      nodes {
        name
      }
      totalCount
      isTotalCountExact
    }
    events(first: 2, after: $after, types: $types) {
      nodes {
        type
        timestamp
      }
    }
  }
`);

/** Adds a pet, and reads lists. */
export async function use(url: string, key: string) {
  const client = new Client({
    url: `${url}/graphql`,
    exchanges: [fetchExchange],
    fetchOptions: { headers: { authorization: `Bearer ${key}` } },
  });
  const added = await client.mutation(ADD, { name: "urql" }).toPromise();
  const { data, error } = await client.query(LISTS, { first: 2, types: ["message_queued"] }).toPromise();
  if (error) throw error;
  return {
    created: added.data?.createPet?.name,
    pets: data?.pets?.nodes.length,
    total: data?.pets?.totalCount,
    isExact: data?.pets?.isTotalCountExact,
    types: data?.events?.nodes.map(({ type }) => type),
  };
}
