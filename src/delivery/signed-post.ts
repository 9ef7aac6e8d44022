import { Webhook } from "standardwebhooks";
import { DAY_MS } from "../common/time";
import { version } from "../version";
import { type Attempt, AttemptOutcome } from "./driver";
import { connectionFailure, type Failure, failure, quote } from "./failures";
import { type HttpAnswer, httpPost } from "./http-post";
import type { Targets } from "./targets";

/** The `User-Agent` that receivers see. */
const USER_AGENT = `agent-petstore-gateway/${version}`;

/** Status codes below 500 after which another attempt may succeed. */
const RETRYABLE = [408, 425, 429];

export interface SignedTarget {
  /** The receiver's URL, as returned by `Targets.assertAllowedUrl`. */
  url: string;
  /** `whsec_…`; the current secret, then previous secrets that are still valid. */
  secrets: readonly string[];
  /** As in `HttpPost`. */
  ignoresAccepted?: boolean;
}

/**
 * A 2xx response, or a failure with the status of the response; the status is null if there was no response. `headers`
 * are the headers that were sent, or null if no request was sent.
 */
export type SignedOutcome = ({ accepted: HttpAnswer } | { failure: Failure; status: number | null }) & {
  headers: Readonly<Record<string, string>> | null;
};

/** Signs and posts a JSON document; `id` becomes the `webhook-id`. Never rejects. */
export type SignedPost = (document: { id: string; body: string }, attempt: Attempt) => Promise<SignedOutcome>;

/** Creates a function that sends Standard Webhooks; throws if the URL or a secret is malformed. */
export function createSignedPost(targets: Targets, target: SignedTarget, timeoutMs: number): SignedPost {
  const url = new URL(target.url);
  const signers = target.secrets.map((secret) => new Webhook(secret));
  return async ({ id, body }, attempt) => {
    let signature = "";
    let sent: Readonly<Record<string, string>> | null = null;
    const headers = () => {
      const now = new Date();
      signature = signers.map((signer) => signer.sign(id, now, body)).join(" ");
      sent = {
        "content-type": "application/json",
        accept: "application/json",
        "user-agent": USER_AGENT,
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
        "webhook-signature": signature,
      };
      return sent;
    };
    const { ignoresAccepted = false } = target;
    const outcome = await httpPost(targets, { url, body, headers, ignoresAccepted }, attempt, timeoutMs);
    if ("error" in outcome)
      return {
        failure: connectionFailure(outcome.error, outcome.hasLeft),
        status: null,
        headers: outcome.hasLeft ? sent : null,
      };
    const { answer } = outcome;
    if (answer.status >= 200 && answer.status < 300) return { accepted: answer, headers: sent };
    const secrets = signature.split(" ").map((part) => part.slice("v1,".length));
    return { failure: rejection(answer, secrets), status: answer.status, headers: sent };
  };
}

/** Returns the failure for a response other than 2xx. */
function rejection({ status, body, retryAfter }: HttpAnswer, secrets: readonly string[]): Failure {
  const code = `http_${status}`;
  if (status < 400) {
    const detail =
      status < 200 ? "which is not a final response" : "and the gateway does not follow redirects";
    return failure(AttemptOutcome.permanent, code, `The receiver responded with ${status}, ${detail}.`);
  }
  const detail = `The receiver responded with ${status}${quote(body.toString("utf8"), secrets)}`;
  return RETRYABLE.includes(status) || (status >= 500 && status < 600)
    ? failure(AttemptOutcome.retryable, code, detail, retryAfterMs(retryAfter))
    : failure(AttemptOutcome.permanent, code, detail);
}

/** Returns the delay (ms) in a `Retry-After` header (RFC 9110, 10.2.3); undefined if malformed or not positive. */
function retryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d+$/.test(header)
    ? Number(header) * 1000
    : /^[A-Z][a-z]+,? .* GMT$/.test(header)
      ? Date.parse(header) - Date.now()
      : Number.NaN;
  return ms > 0 ? Math.min(ms, DAY_MS) : undefined;
}
