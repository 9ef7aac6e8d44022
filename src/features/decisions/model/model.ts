import { setTimeout as pause } from "node:timers/promises";
import type { Config } from "../../../config";
import { boundedFetch } from "../../../http/bounded-fetch";
import type { DecisionInput } from "../../configuration/document/read-situation";
import { MODEL_NAME_MAX_LENGTH, type ModelRequest } from "../explanation";
import { type Answer, answerOf } from "./asking";
import { promptOf } from "./prompt";
import { type Ask, schemaOf } from "./proposal";

/** Max duration of a call, including a second attempt (ms). Must be shorter than its lane's lease. */
const TIMEOUT_MS = 20_000;

/** Max size of an answer (bytes): the longest text as JSON, plus other members that the server adds. */
const ANSWER_MAX_BYTES = 262_144;

/** Max accepted token count; larger values cannot be real and do not fit into GraphQL's Int. */
const MAX_TOKENS = 2 ** 31 - 1;

/** Statuses that servers return if they do not support part of the request. */
const UNSUPPORTED: readonly number[] = [400, 415, 422, 501];

/** Statuses below 500 that are worth a second attempt: request timeout, conflict, too many requests. */
const TEMPORARY: readonly number[] = [408, 409, 429];

/** Delay before the second attempt (ms). Ignores Retry-After, because the caller waits at most the timeout. */
const RETRY_DELAY_MS = 500;

type ModelServer = Omit<NonNullable<Config["model"]>, "concurrency">;

/** Thrown when the wait for a model is aborted. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** Thrown when the model server reports an error; the response's text is discarded. */
class ModelServerError extends Error {
  constructor(readonly status: number) {
    super(`The model server responded with ${status}.`);
  }
}

/** A model on a server with OpenAI's chat completions API. The model's texts never appear in logs or errors. */
export class Model {
  private readonly timeoutMs: number;
  /** False once the server has rejected a JSON schema; the prompt alone then describes the answer. */
  private takesSchemas = true;

  constructor(
    private readonly settings: ModelServer,
    { timeoutMs = TIMEOUT_MS } = {},
  ) {
    this.timeoutMs = timeoutMs;
  }

  /**
   * Requests a decision from the model.
   * @throws Interrupted if the signal aborts the wait
   */
  async answer(ask: Ask, input: DecisionInput, signal: AbortSignal): Promise<Answer> {
    const startedAt = performance.now();
    const timeout = AbortSignal.timeout(this.timeoutMs);
    let completion: unknown;
    let answer: Answer;
    try {
      completion = await this.complete(ask, input, AbortSignal.any([signal, timeout]));
      answer = answerOf(ask, contentOf(completion));
    } catch (error) {
      if (timeout.aborted) answer = failure("model_timeout", "The model did not respond in time.");
      else if (signal.aborted) throw new Interrupted("The request to the model was aborted.");
      else if ((error as { name?: unknown }).name === "SyntaxError") answer = answerOf(ask, "");
      else if (error instanceof ModelServerError) answer = failure("model_failed", error.message);
      else answer = failure("model_failed", "The model server cannot be reached.");
    }
    const request = {
      name: this.settings.name.slice(0, MODEL_NAME_MAX_LENGTH),
      durationMs: Math.round(performance.now() - startedAt),
      ...tokensOf(completion),
    };
    return { ...answer, request };
  }

  /** Sends the request, and repeats it without a JSON schema if the server does not support schemas. */
  private async complete(ask: Ask, input: DecisionInput, signal: AbortSignal): Promise<unknown> {
    const schema = { name: "decision", strict: true, schema: schemaOf(ask) };
    const create = (format?: { type: "json_schema"; json_schema: typeof schema }) =>
      this.post(
        {
          model: this.settings.name,
          messages: promptOf(ask, input),
          ...(format && { response_format: format }),
          stream: false,
        },
        signal,
      );
    if (!this.takesSchemas) return create();
    try {
      return await create({ type: "json_schema", json_schema: schema });
    } catch (error) {
      if (!(error instanceof ModelServerError && UNSUPPORTED.includes(error.status))) throw error;
      const completion = await create();
      this.takesSchemas = false;
      return completion;
    }
  }

  /** Sends a request, and repeats it once after a temporary error. */
  private async post(body: object, signal: AbortSignal): Promise<unknown> {
    try {
      return await post(this.settings, body, signal);
    } catch (error) {
      if (!isTemporary(error)) throw error;
      await pause(RETRY_DELAY_MS, undefined, { signal });
      return post(this.settings, body, signal);
    }
  }
}

const failure = (code: "model_failed" | "model_timeout", message: string): Answer => ({
  error: { code, message },
});

/** Returns the number of tokens used by a completion, as counted by the server. */
function tokensOf(completion: unknown): Pick<ModelRequest, "inputTokens" | "outputTokens"> {
  const { usage } = (completion ?? {}) as { usage?: Readonly<Record<string, unknown>> | null };
  const count = (name: string) => {
    const tokens = usage?.[name];
    return Number.isInteger(tokens) && Number(tokens) >= 0 && Number(tokens) <= MAX_TOKENS
      ? Number(tokens)
      : null;
  };
  return { inputTokens: count("prompt_tokens"), outputTokens: count("completion_tokens") };
}

/** Returns the text of a completion; empty if it is malformed. */
function contentOf(completion: unknown): string {
  const { choices } = (completion ?? {}) as { choices?: { message?: { content?: unknown } }[] };
  const content = Array.isArray(choices) ? choices[0]?.message?.content : undefined;
  const parts: unknown[] = Array.isArray(content) ? content : [{ text: content }];
  return parts
    .map((part) => (part as { text?: unknown } | null)?.text)
    .filter(isText)
    .join("");
}

const isText = (value: unknown): value is string => typeof value === "string";

/** Returns the error status that model routers put in the body of a 200 response; undefined if there is none. */
function errorStatusIn(body: string): number | undefined {
  try {
    const { error, choices } = JSON.parse(body);
    const found = error ?? (Array.isArray(choices) ? choices[0]?.error : undefined);
    if (found == null) return undefined;
    const code = Number(found.code);
    return code >= 400 && code <= 599 ? Math.trunc(code) : 502;
  } catch {
    return undefined;
  }
}

/**
 * Sends a request to a model server once.
 * @returns the parsed body
 * @throws ModelServerError if the server reports an error
 * @throws SyntaxError if the body is not JSON or is too long
 * @throws Error if the server cannot be reached
 */
async function post({ url, apiKey }: ModelServer, body: object, signal: AbortSignal): Promise<unknown> {
  const headers = {
    accept: "application/json",
    "content-type": "application/json",
    "user-agent": "agent-petstore-gateway",
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  };
  const target = new URL(url);
  target.pathname = `${target.pathname.replace(/\/$/, "")}/chat/completions`;
  const init = { method: "POST", headers, body: JSON.stringify(body), signal };
  const response = await boundedFetch(target, init, ANSWER_MAX_BYTES);
  const text = await response.text();
  const status = response.ok ? errorStatusIn(text) : response.status;
  if (status !== undefined) throw new ModelServerError(status);
  // The content type is not checked, because some servers declare another one.
  return JSON.parse(text);
}

/** Returns true if the same request may succeed a moment later. */
const isTemporary = (error: unknown) =>
  error instanceof ModelServerError
    ? error.status >= 500 || TEMPORARY.includes(error.status)
    : (error as { name?: unknown }).name !== "SyntaxError";
