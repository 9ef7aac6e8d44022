import { ApiError, type InputProblem } from "./api-error";
import { connection } from "./connection";
import { confirmSignIn } from "./recent-sign-in";
import type { TypedDocumentString } from "./typed-document";

/** Max time to wait for a response (ms); a test of an e-mail line can take 30 seconds. */
export const REQUEST_TIMEOUT_MS = 40_000;

interface ResponseBody<Result> {
  data?: Result;
  errors?: {
    message: string;
    extensions: { code: string; problems?: InputProblem[]; conversationId?: string };
  }[];
}

/**
 * Sends a request to the GraphQL API; the browser adds the session cookie. The result is not cached. If the
 * request requires a recent sign-in, it is retried after the member confirms their identity.
 * @throws ApiError
 */
export async function execute<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Result> {
  try {
    return await send(document, variables, signal);
  } catch (error) {
    const isStale = error instanceof ApiError && error.code === "recent_sign_in_required";
    if (!isStale || !(await confirmSignIn())) throw error;
    return send(document, variables, signal);
  }
}

async function send<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Result> {
  // Browsers delay the timers of hidden pages by up to a minute.
  if (!window.document.hidden) await newTask();
  const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const response = await fetch("/graphql", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/graphql-response+json" },
    body: JSON.stringify({ query: document.toString(), variables }),
    credentials: "same-origin",
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  }).catch(() => undefined);
  const requestId = response?.headers.get("x-request-id") ?? undefined;
  const body: ResponseBody<Result> | undefined = await response?.json().catch(() => undefined);
  const failure = body?.errors?.[0];
  const isAnswer = failure !== undefined || body?.data != null;
  // An aborted request reveals nothing about the connection.
  if (!signal?.aborted) connection.set(isAnswer ? "ok" : "lost");
  if (failure !== undefined) {
    const retryAfterSeconds = Number(response?.headers.get("retry-after")) || undefined;
    const { code, problems, conversationId } = failure.extensions;
    throw new ApiError(failure.message, code, requestId, retryAfterSeconds, problems, conversationId);
  }
  // No response, or one from a proxy that cannot reach the server.
  if (body?.data == null) throw new ApiError("The server did not respond.", "unreachable", requestId);
  return body.data;
}

/**
 * Resolves in a new task, so that a page's first requests do not lengthen the task that renders the page. The new
 * task also keeps their call stacks short, because developer tools reparse every function on a request's stack.
 */
export const newTask = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve);
  });
