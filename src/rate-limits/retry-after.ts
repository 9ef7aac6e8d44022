import { GatewayError } from "../errors";
import { secondsUntil } from "./window";

/**
 * Creates an error with a `Retry-After` header.
 * @param until the time of the next try (ms)
 * @param now the current time on the same clock (ms)
 */
export const retryAfterError = (
  code: "rate_limited" | "too_many_attempts",
  until: number,
  now: number,
  message?: string,
): GatewayError =>
  new GatewayError(code, message, { headers: { "retry-after": String(secondsUntil(until, now)) } });
