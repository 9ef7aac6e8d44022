import type { ApolloServerPlugin } from "@apollo/server";
import type { RequestContext } from "../../auth/context";
import { parseJson } from "../../http/plugins/json-body";

/**
 * Parses the `variables` of a GET request like a body, because Apollo's JSON.parse rounds integers beyond 2^53. Throws
 * only after the operation is resolved, because Apollo responds to an earlier error with 500.
 */
export const exactGetVariables: ApolloServerPlugin<RequestContext> = {
  async requestDidStart({ request }) {
    const { http } = request;
    const text = http?.method === "GET" ? new URLSearchParams(http.search).get("variables") : null;
    if (text === null) return;
    let rejection: unknown;
    try {
      request.variables = parseJson(Buffer.from(text)) as Record<string, unknown>;
    } catch (error) {
      rejection = error;
    }
    return {
      async didResolveOperation() {
        if (rejection !== undefined) throw rejection;
      },
    };
  },
};
