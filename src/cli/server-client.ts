import { setTimeout } from "node:timers/promises";
import { redactTokens } from "../credentials/redact-tokens";
import { ERRORS, type ErrorCode, GatewayError, InvalidInput, StartupError } from "../errors";
import { version } from "../version";
import { type Client, query, type Run } from "./client";
import { printable } from "./output";
import type { Target } from "./target";

const TIMEOUT_MS = 60_000;

/** Min delay before a read is retried (ms). */
const MIN_WAIT_MS = 100;

/** Max time that a read waits for a busy server (ms). */
const MAX_WAIT_MS = 30_000;

/** Max size of a response (bytes); the server's pages and documents are much smaller. */
const MAX_RESPONSE_BYTES = 64 * 2 ** 20;

/** Max length of text from the server in a message (UTF-16 code units). */
const TEXT_MAX_LENGTH = 2_000;

/** Codes of failures that may occur after the server has received the request. */
const MAYBE_RECEIVED = /^(ECONNRESET|EPIPE|UND_ERR_(SOCKET|\w+_TIMEOUT)|HPE_\w+|Z_\w+)$/;

interface Operation {
  endpoint: URL;
  key: string;
  document: string;
  variables: object;
  /** True if the operation is a mutation. */
  changes: boolean;
}

interface ReportedError {
  message: string;
  extensions?: unknown;
}

const ORGANIZATION = query("organization", "", "slug");

/** Returns a client that sends operations to a server, with a key that belongs to one organization. */
export function serverClient({ endpoint, key: readKey }: Target): Client {
  let read: Promise<string> | undefined;
  const run: Run = async <T>(document: string, variables = {}) => {
    read ??= readKey();
    const key = await read;
    // The error from `fetch` would quote a malformed key.
    if (!/^[\w-]+$/.test(key)) throw new GatewayError("invalid_request", "The key is malformed.");
    const changes = document.startsWith("mutation");
    return (await resultOf({ endpoint, key, document, variables, changes })) as T;
  };
  return {
    about: async ({ org }) => {
      if (org !== undefined && (await run<{ slug: string }>(ORGANIZATION)).slug !== org)
        throw new GatewayError("not_found", `There is no organization "${org}".`);
      return run;
    },
  };
}

/** Returns the root field's value; throws the first error of a response, or a StartupError for any other failure. */
async function resultOf(operation: Operation): Promise<unknown> {
  const giveUpAt = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const response = await send(operation);
    const retryAfterMs = Number(response.headers.get("retry-after") ?? Number.NaN) * 1000;
    const waitMs = Math.max(MIN_WAIT_MS, retryAfterMs);
    const isBusy = response.status === 429 || response.status === 503;
    const mayWait = retryAfterMs >= 0 && performance.now() + waitMs <= giveUpAt;
    if (!isBusy || operation.changes || !mayWait)
      return valueIn(response, await textOf(response, operation), operation);
    await response.body?.cancel();
    await setTimeout(waitMs);
  }
}

const send = (operation: Operation): Promise<Response> =>
  fetch(operation.endpoint, {
    method: "POST",
    headers: {
      accept: "application/graphql-response+json, application/json",
      authorization: `Bearer ${operation.key}`,
      "content-type": "application/json",
      "user-agent": `gateway/${version}`,
    },
    body: JSON.stringify({ query: operation.document, variables: operation.variables }),
    // Following a redirect would send the key or the change to another server.
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw failureOf(operation, error, "cannot be reached");
  });

async function textOf({ body }: Response, operation: Operation): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body ?? []) {
      bytes += chunk.length;
      // Leaving a `for await` loop early closes the connection.
      if (bytes > MAX_RESPONSE_BYTES) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw failureOf(operation, error, "did not send a complete response");
  }
  if (bytes > MAX_RESPONSE_BYTES)
    throw failureOf(operation, undefined, `sent more than ${MAX_RESPONSE_BYTES / 2 ** 20} MB`);
  return Buffer.concat(chunks).toString();
}

function failureOf({ endpoint, changes }: Operation, error: unknown, what: string): StartupError {
  if ((error as Error | undefined)?.name === "TimeoutError")
    return failed(endpoint, `did not respond within ${TIMEOUT_MS / 1000} seconds`, changes);
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
  const wasReceived = error === undefined || MAYBE_RECEIVED.test((cause as { code?: string }).code ?? "");
  return failed(endpoint, what, changes && wasReceived, cause);
}

/** @param mayHaveChanged true if the server may have made a change */
const failed = ({ origin }: URL, what: string, mayHaveChanged: boolean, cause?: unknown): StartupError =>
  new StartupError(`${origin} ${what}${mayHaveChanged ? ", and may have made the change" : ""}`, { cause });

function valueIn(response: Response, text: string, { endpoint, key, document, changes }: Operation): unknown {
  const { status, headers } = response;
  // Sanitizes text from the response: the server may be hostile, and a proxy may have echoed the key.
  const clean = (found: unknown) =>
    printable(redactTokens(String(found).replaceAll(key, "[redacted]")))
      .replaceAll("\n", " ")
      .slice(0, TEXT_MAX_LENGTH);
  const { data, errors } = objectIn(text);
  const [error] = Array.isArray(errors) ? errors : [];
  if (isReported(error)) throw errorOf(error, status >= 500 ? headers.get("x-request-id") : null, clean);
  const field = /\{ (\w+)/.exec(document)?.[1] ?? "";
  if (status === 200 && error === undefined && isObject(data) && data[field] !== undefined)
    return data[field];
  const location = headers.get("location");
  const type = /^[\w/+.-]+/.exec(headers.get("content-type") ?? "")?.[0];
  const found =
    (location !== null && `a redirect to ${clean(location)}, which is not followed`) ||
    (text === "" && "nothing") ||
    `${type ?? "a body"} instead of a GraphQL result`;
  throw failed(endpoint, `responded with ${status} and ${found}`, changes && (status < 300 || status >= 500));
}

function errorOf(
  { message, extensions }: ReportedError,
  requestId: string | null,
  clean: (found: unknown) => string,
): GatewayError {
  const { code, problems, ...more } = isObject(extensions) ? extensions : {};
  if (Array.isArray(problems) && problems.every(isObject))
    return new InvalidInput(
      problems.map(({ path, message }) => ({ path: clean(path), message: clean(message) })),
      more,
    );
  const known = Object.hasOwn(ERRORS, String(code)) ? (code as ErrorCode) : "internal_error";
  const request = requestId === null ? "" : ` (request ${clean(requestId)})`;
  return new GatewayError(known, `${clean(message)}${request}`);
}

const isReported = (error: unknown): error is ReportedError =>
  isObject(error) && typeof error.message === "string";

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
