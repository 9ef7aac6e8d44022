import { randomUUID } from "node:crypto";
import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { ERRORS, type ErrorCode, GatewayError } from "../errors";
import { addVary } from "./encoding";
import { errorBodyFor } from "./error-body";
import { INVALID_LINK, PAGE_HEADERS } from "./plain-page";

declare module "fastify" {
  interface FastifyRequest {
    /** Error code of the response, as reported in the log and metrics. */
    errorCode: ErrorCode | undefined;
  }
}

const CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "invalid_content_type",
  FST_ERR_BAD_URL: "not_found",
  // This error occurs only for unknown paths, because known paths reject the method QUERY with 405.
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: "not_found",
  FST_ERR_ASYNC_CONSTRAINT: "not_found",
};

/** Converts a failure outside GraphQL to an error that is safe to send to clients. */
function toHttpError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const code = error instanceof Error && "code" in error ? CODES[String(error.code)] : undefined;
  return new GatewayError(code ?? "internal_error", undefined, { cause: error });
}

/** Sends a failure as `{"code","message","status"}` or as problem details, and logs server errors. */
export const sendError = (
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply => sendUnlogged(noteFailure(error, request), request, reply);

/** Like `sendError`, but sends a page to a browser that opened a link. */
export const sendInvalidUrl = (error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  /\btext\/html\b/.test(request.headers.accept ?? "")
    ? reply
        .code(noteFailure(error, request).status)
        .headers({ ...PAGE_HEADERS, vary: "Accept" })
        .send(INVALID_LINK)
    : sendError(error, request, reply);

/** Sends an error like `sendError`, but does not log it as a failure, because the state that it reports is expected. */
export function sendUnlogged(
  error: GatewayError,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { type, body } = errorBodyFor(error, headers.accept);
  setHead(error, reply);
  return reply
    .header("vary", addVary(reply.getHeader("vary"), "Accept"))
    .type(type)
    .send(body);
}

/** Converts a failure, records its code for the log and metrics, and logs server errors. */
export function noteFailure(error: unknown, request: FastifyRequest): GatewayError {
  const failure = toHttpError(error);
  request.errorCode = failure.code;
  if (failure.status >= 500 && !request.wasShed) request.log.error({ err: failure.cause }, failure.code);
  return failure;
}

/** Sets the status and headers of a failure, except its media type, and logs server errors. */
export function setErrorHead(error: unknown, request: FastifyRequest, reply: FastifyReply): GatewayError {
  const failure = noteFailure(error, request);
  setHead(failure, reply);
  return failure;
}

function setHead({ status, headers }: GatewayError, reply: FastifyReply): void {
  // Fastify closes the connection after a body error, and the reset may overtake the response to a client that is still
  // sending. Node discards the rest of the body instead, until the request times out.
  if (reply.hasHeader("connection"))
    reply.header("connection", reply.raw.shouldKeepAlive ? "keep-alive" : "close");
  reply.code(status).headers(headers).serializer(JSON.stringify);
}

/** Logs a request that failed before the hooks of `logRequests` ran. */
export function logUnrouted(
  log: Pick<FastifyBaseLogger, "info">,
  code: ErrorCode,
  request: { reqId: string; ip: string | null },
): void {
  log.info({ ...request, route: "unknown", status: ERRORS[code].status, code }, "request");
}

const PARSER_CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: "header_fields_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

/**
 * Handles connections without a valid request: bytes that are not HTTP, or headers that are too large or too slow.
 * Like a request, each connection gets an ID and a log line.
 */
export const handleClientErrors =
  (headers: Readonly<Record<string, string>>, log: Pick<FastifyBaseLogger, "info">) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    // A client that fails the TLS handshake cannot read a response and would keep the connection open.
    if (!/^(HPE|ERR_HTTP)_/.test(error.code ?? "") || !socket.writable) {
      socket.destroy();
      return;
    }
    // Like Node's own handler, does not write to a response that has already started.
    if ((socket as { _httpMessage?: ServerResponse | null })._httpMessage?.headersSent) {
      socket.destroySoon();
      return;
    }
    const code = PARSER_CODES[error.code ?? ""];
    const failure = code
      ? new GatewayError(code)
      : new GatewayError("invalid_request", "The request is not valid HTTP.");
    const requestId = randomUUID();
    logUnrouted(log, failure.code, { reqId: requestId, ip: socket.remoteAddress ?? null });
    // The body is always JSON, because the `Accept` header was not read.
    const body = JSON.stringify(failure.toBody());
    const lines = Object.entries({
      ...headers,
      "x-request-id": requestId,
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(body),
      connection: "close",
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}\r\n${lines.join("")}\r\n${body}`);
  };
