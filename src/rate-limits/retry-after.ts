import { GatewayError } from "../errors";
import { secondsUntil } from "./window";

/**
 * A refusal that names the end of its window in `Retry-After`.
 * @param until when a retry can succeed (ms)
 * @param now on the same clock (ms)
 */
export const refuseUntil = (
  code: "rate_limited" | "too_many_attempts",
  until: number,
  now: number,
  message?: string,
): GatewayError =>
  new GatewayError(code, message, { headers: { "retry-after": String(secondsUntil(until, now)) } });
