import * as apollo4 from "@apollo/client";
import * as urql from "@urql/core";
import * as apollo3 from "apollo-client-3/core";

/** The result that a client returns for one operation. */
export interface Seen {
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of the data
  data?: any;
  /** The codes in `extensions` of the errors that the client passes on. */
  codes: unknown[];
  /** The HTTP status, if the client treats the response as a network failure. */
  status?: number;
}

/** A GraphQL client, as used in applications. */
export interface GraphQLClient {
  query(document: string, variables?: Record<string, unknown>): Promise<Seen>;
  mutate(document: string, variables?: Record<string, unknown>): Promise<Seen>;
}

/**
 * Creates a client.
 * @param headers of each request, such as the credential
 */
type Create = (uri: string, headers: Record<string, string>) => GraphQLClient;

const codesOf = (errors: readonly { extensions?: Record<string, unknown> | undefined }[] = []) =>
  errors.map(({ extensions }) => extensions?.code);

const urqlClient =
  (options: Partial<urql.ClientOptions> = {}): Create =>
  (url, headers) => {
    const client = new urql.Client({
      url,
      exchanges: [urql.fetchExchange],
      fetchOptions: { headers },
      ...options,
    });
    const seen = ({ data, error }: urql.OperationResult): Seen => ({
      data,
      codes: codesOf(error?.graphQLErrors),
      ...(error?.networkError && { status: error.response?.status }),
    });
    return {
      query: async (document, variables = {}) => seen(await client.query(document, variables).toPromise()),
      mutate: async (document, variables = {}) =>
        seen(await client.mutation(document, variables).toPromise()),
    };
  };

const apollo4Client =
  (options: apollo4.HttpLink.Options = {}): Create =>
  (uri, headers) => {
    const link = new apollo4.HttpLink({ uri, headers, ...options });
    const client = new apollo4.ApolloClient({ link, cache: new apollo4.InMemoryCache() });
    const seen = async (run: Promise<{ data?: unknown }>): Promise<Seen> => {
      try {
        return { data: (await run).data, codes: [] };
      } catch (error) {
        if (apollo4.CombinedGraphQLErrors.is(error)) return { codes: codesOf(error.errors) };
        if (apollo4.ServerError.is(error)) return { codes: [], status: error.statusCode };
        throw error;
      }
    };
    return {
      query: (document, variables = {}) => seen(client.query({ query: apollo4.gql(document), variables })),
      mutate: (document, variables = {}) =>
        seen(client.mutate({ mutation: apollo4.gql(document), variables })),
    };
  };

const apollo3Client =
  (options: apollo3.HttpOptions = {}): Create =>
  (uri, headers) => {
    const link = new apollo3.HttpLink({ uri, headers, ...options });
    const client = new apollo3.ApolloClient({ link, cache: new apollo3.InMemoryCache() });
    const seen = async (run: Promise<{ data?: unknown }>): Promise<Seen> => {
      try {
        return { data: (await run).data, codes: [] };
      } catch (error) {
        if (!(error instanceof apollo3.ApolloError)) throw error;
        const { networkError } = error;
        return {
          codes: codesOf(error.graphQLErrors),
          ...(networkError && "statusCode" in networkError && { status: networkError.statusCode }),
        };
      }
    };
    return {
      query: (document, variables = {}) => seen(client.query({ query: apollo3.gql(document), variables })),
      mutate: (document, variables = {}) =>
        seen(client.mutate({ mutation: apollo3.gql(document), variables })),
    };
  };

/** Every client, once with its default method for queries and once with the other method. */
export const CLIENTS: [name: string, queriesBy: "GET" | "POST", create: Create][] = [
  ["urql", "GET", urqlClient()],
  ["urql without GET", "POST", urqlClient({ preferGetMethod: false })],
  ["Apollo Client 4", "POST", apollo4Client()],
  ["Apollo Client 4 with GET", "GET", apollo4Client({ useGETForQueries: true })],
  ["Apollo Client 3", "POST", apollo3Client()],
  ["Apollo Client 3 with GET", "GET", apollo3Client({ useGETForQueries: true })],
];
