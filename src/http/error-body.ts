import { STATUS_CODES } from "node:http";
import type { ErrorBody, GatewayError } from "../errors";
import { prefersToJson } from "./media-types";

/** The media type of problem details (RFC 9457). */
export const PROBLEM_TYPE = "application/problem+json";

/** An error as problem details, which include the members of its JSON body. */
interface Problem extends ErrorBody {
  /** No URI identifies the kind of error; `code` does. */
  type: "about:blank";
  title: string;
  detail: string;
}

/** Returns the body of an error as JSON or problem details, as the `Accept` header prefers. */
export function errorBodyFor(
  error: GatewayError,
  accept: string | undefined,
): { type: string; body: ErrorBody | Problem } {
  const body = error.toBody();
  if (!prefersToJson(PROBLEM_TYPE, accept)) return { type: "application/json; charset=utf-8", body };
  const { status, message } = body;
  const title = STATUS_CODES[status] ?? "";
  return { type: PROBLEM_TYPE, body: { type: "about:blank", title, ...body, detail: message } };
}
