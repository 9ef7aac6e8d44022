import type { FastifyReply, FastifyRequest } from "fastify";
import type { Metrics } from "../telemetry/metrics";
import type { compiledQueries } from "./compiled/compiled-queries";
import { mediaTypeFor, noteOperation } from "./plugins/http-status";
import type { queryLimits } from "./query-limits/query-limits";

/**
 * Creates the handler for requests with known documents. It responds like Apollo Server, but without Apollo's pipeline,
 * which costs more than most queries; a test compares both. Apollo handles unknown documents, GET, large results and
 * failures.
 * @returns a function that returns the response body; undefined if Apollo must handle the request
 */
export function answerKnownRequests(
  compiled: ReturnType<typeof compiledQueries>,
  { isFree }: Pick<ReturnType<typeof queryLimits>, "isFree">,
  operations: Metrics["operations"],
) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<string | undefined> => {
    if (request.method !== "POST") return undefined;
    const { query, operationName, variables, extensions } = (request.body ?? {}) as Body;
    if (typeof query !== "string") return undefined;
    if (operationName != null && typeof operationName !== "string") return undefined;
    if (!isObjectOrLeft(variables) || !isObjectOrLeft(extensions) || extensions?.persistedQuery)
      return undefined;
    const known = compiled.find(query, operationName);
    const { callContext, headers } = request;
    const given = variables ?? {};
    if (known === undefined || !isFree(known.document, known.operation, given, callContext.caller))
      return undefined;
    const text = await compiled.answer(known, callContext, given);
    if (text === undefined) return undefined;
    noteOperation(operations, known, "ok", callContext);
    reply.header("content-type", mediaTypeFor(headers.accept));
    return text;
  };
}

/** A body whose members have not been checked. */
type Body = Readonly<Record<"query" | "operationName" | "variables" | "extensions", unknown>>;

const isObjectOrLeft = (value: unknown): value is Record<string, unknown> | null | undefined =>
  value == null || (typeof value === "object" && !Array.isArray(value));
