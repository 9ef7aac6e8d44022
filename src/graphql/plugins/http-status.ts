import type { ApolloServerPlugin } from "@apollo/server";
import { trace } from "@opentelemetry/api";
import type { DocumentNode, GraphQLError, OperationDefinitionNode } from "graphql";
import Negotiator from "negotiator";
import type { RequestContext } from "../../auth/context";
import { redactTokens } from "../../credentials/redact-tokens";
import type { ErrorCode } from "../../errors";
import type { Metrics } from "../../telemetry/metrics";
import { toGatewayError } from "../errors";
import { nameOfOperation } from "../operation-name";

const JSON_TYPE = "application/json; charset=utf-8";

/** Clients that accept this media type expect the status of the error (GraphQL over HTTP, 6.4.2). */
const GRAPHQL_TYPE = "application/graphql-response+json; charset=utf-8";

/** Errors with the same status for every client, because clients and proxies react to it, for example by waiting. */
const KEPT_STATUS: ReadonlySet<ErrorCode> = new Set([
  "unauthenticated",
  "invalid_api_key",
  "key_expired",
  "key_not_resolvable",
  "invalid_session",
  "key_revoked",
  "address_not_allowed",
  "rate_limited",
  "too_many_attempts",
  "unavailable",
  "invalid_json",
]);

/** Apollo's codes for requests without an operation or with an unsupported method or extension. */
const NO_OPERATION: readonly unknown[] = ["BAD_REQUEST", "PERSISTED_QUERY_NOT_SUPPORTED"];

/**
 * Chooses the media type of a response and, if it has no data, its status: the status of the first error, as in the
 * REST API. With `application/json`, the status is 200 instead, as the GraphQL over HTTP specification recommends
 * (6.4.1), because many clients read errors only at 200. Also counts the operation, because a separate plugin would
 * cost every request another microtask.
 * @param operations counts operations by type and outcome
 */
export const httpStatus = (operations: Metrics["operations"]): ApolloServerPlugin<RequestContext> => ({
  async requestDidStart() {
    return {
      async willSendResponse({ request, response, errors, document, operation, contextValue }) {
        const { body, http } = response;
        const [error] = errors ?? [];
        const failure = error && toGatewayError(error);
        const found = document && operation && { document, operation };
        noteOperation(operations, found, failure?.code ?? "ok", contextValue);
        const type = mediaTypeFor(request.http?.headers.get("accept"));
        // If `Content-Type` is not set, Apollo responds with 406 after running the operation.
        http.headers.set("content-type", type);
        if (error === undefined || failure === undefined || body.kind !== "single") return;
        if (contextValue.answer) contextValue.answer.errorCode = failure.code;
        if (hasData(body.singleResult.data, errors)) return;
        const isAboutRequest = KEPT_STATUS.has(failure.code) || NO_OPERATION.includes(error.extensions.code);
        if (type === JSON_TYPE && !isAboutRequest) {
          http.status = 200;
          return;
        }
        http.status = failure.status;
        for (const [name, value] of Object.entries(failure.headers)) http.headers.set(name, value);
      },
    };
  },
});

/** Counts an operation and reports it to the request's hooks and span. */
export function noteOperation(
  operations: Metrics["operations"],
  found: { document: DocumentNode; operation: OperationDefinitionNode } | undefined,
  outcome: ErrorCode | "ok",
  { answer }: RequestContext,
): void {
  const type = found?.operation.operation;
  if (found) describeOperation(found.operation);
  if (answer) answer.isQuery = type === "query";
  if (answer && found) answer.operation = nameOfOperation(found.document, found.operation);
  operations.labels(type ?? "none", outcome).inc();
}

/** The last negotiation, cached because most requests repeat it. */
let negotiated = { accept: "application/json", type: JSON_TYPE };

/** Returns the client's preferred media type, or JSON if it accepts neither. */
export function mediaTypeFor(accept: string | undefined): string {
  if (accept === undefined || accept === "*/*") return JSON_TYPE;
  if (accept !== negotiated.accept) {
    const type = new Negotiator({ headers: { accept } }).mediaType([JSON_TYPE, GRAPHQL_TYPE]) ?? JSON_TYPE;
    negotiated = { accept, type };
  }
  return negotiated.type;
}

/** Adds the operation to its span, without tokens that clients may have put into its name. */
function describeOperation({ operation, name }: OperationDefinitionNode): void {
  const span = trace.getActiveSpan();
  span?.setAttribute("graphql.operation.type", operation);
  if (name) span?.setAttribute("graphql.operation.name", redactTokens(name.value).slice(0, 100));
}

/** True if a response has data other than the nulls of failed fields: `{"pet":null}` without a key is still a 401. */
function hasData(
  data: Record<string, unknown> | null | undefined,
  errors: readonly GraphQLError[] = [],
): boolean {
  const failed = new Set(errors.map(({ path }) => path?.[0]));
  return Object.keys(data ?? {}).some((name) => data?.[name] !== null || !failed.has(name));
}
