import { setTimeout } from "node:timers/promises";
import { redactTokens } from "../credentials/redact-tokens";
import { type ErrorCode, GatewayError, type InputProblem, InvalidInput, StartupError } from "../errors";
import { version } from "../version";
import { type Client, query, type Run } from "./client";
import { printable } from "./output";
import type { Target } from "./target";

/** Max duration of a request (ms). */
const TIMEOUT_MS = 60_000;

/** Min time before a read is sent again (ms). */
const MIN_WAIT_MS = 100;

/** Max time that a read waits for a server that is busy (ms). */
const MAX_WAIT_MS = 30_000;

interface ReportedError {
  message: string;
  extensions?: { code?: ErrorCode; problems?: readonly InputProblem[]; [more: string]: unknown };
}

interface Result {
  data?: Record<string, unknown> | null;
  errors?: readonly ReportedError[];
}

const ORGANIZATION = query("organization", "", "slug");

/** Returns a client that sends operations to a server, with a key that belongs to one organization. */
export function serverClient(target: Target): Client {
  let key: Promise<string> | undefined;
  const run: Run = async <T>(document: string, variables = {}) => {
    key ??= target.key();
    return (await resultOf(target, await key, { query: document, variables })) as T;
  };
  return {
    about: async ({ org }) => {
      if (org !== undefined && (await run<{ slug: string }>(ORGANIZATION)).slug !== org)
        throw new GatewayError("not_found", `There is no organization "${org}".`);
      return run;
    },
  };
}

async function resultOf(
  { endpoint }: Target,
  key: string,
  operation: { query: string; variables: object },
): Promise<unknown> {
  // Fetch would quote a malformed header in its error.
  if (!/^[\w-]+$/.test(key)) throw new GatewayError("invalid_request", "The key is malformed.");
  const changes = operation.query.startsWith("mutation");
  const giveUpAt = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const response = await send(endpoint, key, operation, changes);
    const text = await response.text().catch((error: unknown) => {
      throw unreachable(endpoint, error, changes);
    });
    const retryAfterMs = Number(response.headers.get("retry-after") ?? Number.NaN) * 1000;
    const waitMs = Math.max(MIN_WAIT_MS, retryAfterMs);
    const isBusy = response.status === 429 || response.status === 503;
    const mayWait = retryAfterMs >= 0 && performance.now() + waitMs <= giveUpAt;
    if (isBusy && !changes && mayWait) await setTimeout(waitMs);
    else return rootValue(response, text, key);
  }
}

const send = (endpoint: URL, key: string, operation: object, changes: boolean): Promise<Response> =>
  fetch(endpoint, {
    method: "POST",
    headers: {
      accept: "application/graphql-response+json, application/json",
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "user-agent": `gateway/${version}`,
    },
    body: JSON.stringify(operation),
    // A redirect would send the key or the change elsewhere.
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw unreachable(endpoint, error, changes);
  });

function unreachable({ origin }: URL, error: unknown, changes: boolean): StartupError {
  if (error instanceof Error && error.name === "TimeoutError") {
    const unknown = changes ? ", and may have made the change" : "";
    return new StartupError(`${origin} did not respond within ${TIMEOUT_MS / 1000} seconds${unknown}`);
  }
  return new StartupError(`${origin} cannot be reached`, {
    cause: error instanceof Error ? (error.cause ?? error) : error,
  });
}

/** @throws GatewayError for the first error of a response */
function rootValue(response: Response, text: string, key: string): unknown {
  const { status, headers } = response;
  const { data, errors } = resultIn(text);
  const [error] = errors ?? [];
  if (error === undefined) {
    const [value] = Object.values(data ?? {});
    if (status === 200 && value !== undefined) return value;
    throw new StartupError(`the server responded with ${status} instead of a GraphQL result`);
  }
  // The server may be hostile, and a proxy may have echoed the request.
  const clean = (message: unknown) =>
    printable(redactTokens(String(message).replaceAll(key, "[redacted]"))).replaceAll("\n", " ");
  const { code = "internal_error", problems, ...more } = error.extensions ?? {};
  if (problems !== undefined)
    throw new InvalidInput(
      problems.map(({ path, message }) => ({ path: clean(path), message: clean(message) })),
      more,
    );
  const requestId = status >= 500 ? headers.get("x-request-id") : null;
  const message = clean(error.message);
  throw new GatewayError(code, requestId === null ? message : `${message} (request ${clean(requestId)})`);
}

function resultIn(text: string): Result {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
