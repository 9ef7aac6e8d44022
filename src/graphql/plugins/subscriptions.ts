import { type ApolloServer, type ApolloServerPlugin, type GraphQLRequest, HeaderMap } from "@apollo/server";
import type { DocumentNode, GraphQLFormattedError } from "graphql";
import type { RequestContext } from "../../auth/context";
import { GatewayError } from "../../errors";

const BY_HTTP =
  "Subscriptions require a WebSocket with the subprotocol graphql-transport-ws. Over HTTP, GET /agent/events streams events.";
const BY_WEBSOCKET = "A WebSocket supports only subscriptions. Send queries and mutations as HTTP requests.";

/** Allows subscriptions only over WebSockets, and other operations only over HTTP. */
export const subscriptions: ApolloServerPlugin<RequestContext> = {
  async requestDidStart({ request }) {
    const isByHttp = request.http !== undefined;
    return {
      async didResolveOperation({ operation }) {
        const isSubscription = operation?.operation === "subscription";
        if (isSubscription && isByHttp) throw new GatewayError("invalid_request", BY_HTTP);
        if (!isSubscription && !isByHttp) throw new GatewayError("invalid_request", BY_WEBSOCKET);
      },
    };
  },
};

/** Responds to a checked subscription with its document, for `checkSubscription`. */
export const openSubscription: ApolloServerPlugin<RequestContext> = {
  async requestDidStart() {
    return {
      async responseForOperation({ document, operation }) {
        if (operation?.operation !== "subscription") return null;
        return {
          http: { status: undefined, headers: new HeaderMap() },
          body: { kind: "single", singleResult: { data: { document } } },
        };
      },
    };
  },
};

/** Applies the checks and limits of HTTP to a subscription; returns its document, or the errors for the client. */
export async function checkSubscription(
  apollo: ApolloServer<RequestContext>,
  { query, operationName, variables, extensions }: GraphQLRequest,
  contextValue: RequestContext,
): Promise<{ document: DocumentNode } | { errors: readonly GraphQLFormattedError[] }> {
  const request = { query, operationName, variables, extensions } as GraphQLRequest;
  const { body } = await apollo.executeOperation(request, { contextValue });
  const { data, errors } = body.kind === "single" ? body.singleResult : body.initialResult;
  if (errors !== undefined) return { errors };
  return { document: data?.document as DocumentNode };
}
