import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { type ErrorCode, GatewayError } from "../errors";

/** Fastify's own refusals in the words of the error table. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "invalid_content_type",
  FST_ERR_BAD_URL: "not_found",
  // A path that has routes refuses the method QUERY before anybody misses its content type.
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: "not_found",
  FST_ERR_ASYNC_CONSTRAINT: "not_found",
};

/** What a client may learn of a failure outside GraphQL. */
function toHttpError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const code = error instanceof Error && "code" in error ? CODES[String(error.code)] : undefined;
  return new GatewayError(code ?? "internal_error", undefined, { cause: error });
}

/** Answers a failure as `{"code","message","status"}`, and logs one that is the server's. */
export function sendError(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  return reply.send(setErrorHead(error, request, reply).toBody());
}

/** Sets status and headers for a failure, and logs one that is the server's. */
export function setErrorHead(error: unknown, request: FastifyRequest, reply: FastifyReply): GatewayError {
  const failure = toHttpError(error);
  if (failure.status >= 500 && !request.wasShed) request.log.error({ err: failure.cause }, failure.code);
  reply
    .code(failure.status)
    .headers(failure.headers)
    .type("application/json; charset=utf-8")
    .serializer(JSON.stringify);
  return failure;
}

/** Refusals of Node's parser in the words of the error table. */
const PARSER_CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: "header_fields_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

/**
 * Answers bytes that are not HTTP, headers that are too large or too slow: there is no request to speak of.
 * @param headers of every answer
 */
export const answerClientErrors =
  (headers: Readonly<Record<string, string>>) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    // Whoever fails at the handshake of TLS could not read an answer, and would keep the connection from ending.
    if (!/^(HPE|ERR_HTTP)_/.test(error.code ?? "") || !socket.writable) {
      socket.destroy();
      return;
    }
    // As Node's own handler does: nothing may stand in the middle of an answer, or after one that was the last.
    if ((socket as { _httpMessage?: ServerResponse | null })._httpMessage?.headersSent) {
      socket.destroySoon();
      return;
    }
    const code = PARSER_CODES[error.code ?? ""];
    const failure = code
      ? new GatewayError(code)
      : new GatewayError("invalid_request", "The request is not valid HTTP.");
    const body = JSON.stringify(failure.toBody());
    const lines = Object.entries({
      ...headers,
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(body),
      connection: "close",
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}\r\n${lines.join("")}\r\n${body}`);
  };
