import { ApiError, type InputProblem } from "./api-error";
import { connection } from "./connection";
import type { TypedDocumentString } from "./documents.generated";

/** How long an answer may take (ms). */
const PATIENCE_MS = 20_000;

interface Answer<Result> {
  data?: Result;
  errors?: { message: string; extensions: { code: string; problems?: InputProblem[] } }[];
}

/**
 * Asks the gateway; the browser adds the session's cookie. The answer goes to the caller and is kept nowhere.
 * @throws ApiError
 */
export async function execute<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Result> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const response = await fetch("/graphql", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/graphql-response+json" },
    body: JSON.stringify({ query: document.toString(), variables }),
    credentials: "same-origin",
    signal: signal === undefined ? patience : AbortSignal.any([signal, patience]),
  }).catch(() => {
    // A page that stopped asking says nothing about the connection.
    if (!signal?.aborted) connection.set("lost");
    throw new ApiError("No answer came.", "unreachable");
  });
  connection.set("ok");
  const requestId = response.headers.get("x-request-id") ?? undefined;
  const answer = await readJson<Result>(response);
  const failure = answer?.errors?.[0];
  if (failure !== undefined) {
    const wait = Number(response.headers.get("retry-after")) || undefined;
    const { code, problems } = failure.extensions;
    throw new ApiError(failure.message, code, requestId, wait, problems);
  }
  // A proxy in between answers something else when it finds no gateway behind it.
  if (answer?.data == null)
    throw new ApiError("The answer is not one of the gateway.", "unreachable", requestId);
  return answer.data;
}

const readJson = <Result>(response: Response): Promise<Answer<Result> | undefined> =>
  response.json().catch(() => undefined);
