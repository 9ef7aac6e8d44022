import { type ApolloServer, HeaderMap } from "@apollo/server";
import type { FormattedExecutionResult } from "graphql";
import type { RequestContext } from "../auth/context";
import { GatewayError } from "../errors";

interface Operation {
  document: string;
  variables: Record<string, unknown>;
}

/** Runs an operation with all checks and limits of `/graphql`; throws `payload_too_large`. */
export type RunOperation = (
  operation: Operation,
  contextValue: RequestContext,
) => Promise<FormattedExecutionResult>;

/** @param maxBytes max size of an operation as JSON */
export const operationRunner =
  (apollo: ApolloServer<RequestContext>, maxBytes: number): RunOperation =>
  async ({ document, variables }, contextValue) => {
    if (Buffer.byteLength(JSON.stringify({ document, variables })) > maxBytes)
      throw new GatewayError("payload_too_large");
    // Passes the operation as an HTTP request, because only subscriptions are allowed otherwise.
    const http = { method: "POST", headers: new HeaderMap(), search: "", body: {} };
    const { body } = await apollo.executeOperation({ query: document, variables, http }, { contextValue });
    return body.kind === "single" ? body.singleResult : body.initialResult;
  };
