import { GatewayError } from "../errors";
import { secondsUntil } from "./window";

/** Creates an error with a `Retry-After` header, given two times on the same clock (ms). */
export const retryAfterError = (
  code: "rate_limited" | "too_many_attempts",
  until: number,
  now: number,
  message?: string,
): GatewayError =>
  new GatewayError(code, message, { headers: { "retry-after": String(secondsUntil(until, now)) } });
