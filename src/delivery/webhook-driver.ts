import { Webhook } from "standardwebhooks";
import { DAY_MS } from "../common/time";
import { version } from "../version";
import {
  type Attempt,
  AttemptOutcome,
  type OutboundMessage,
  SEND_TIMEOUT_MS,
  type Send,
  type SendResult,
} from "./driver";
import { connectionFailure, failure, quote } from "./failures";
import { type HttpAnswer, httpPost } from "./http-post";
import type { Targets } from "./targets";

/** Max length of a provider's ID of a message. */
const PROVIDER_ID_MAX_LENGTH = 200;

/** How programs that receive requests of the gateway know it. */
const USER_AGENT = `agent-petstore-gateway/${version}`;

/** Statuses below 500 that promise nothing about the next attempt. */
const RETRYABLE = [408, 425, 429];

export interface WebhookSettings {
  /** As `Targets.assertAllowedUrl` returned it. */
  url: string;
  /** `whsec_…`; the current one, then those that are still valid. */
  secrets: readonly string[];
}

/**
 * Sends messages as Standard Webhooks, whose `webhook-id` is the ID of the message on every attempt.
 * @throws Error when the URL or a secret is malformed
 */
export function createWebhookDriver(
  targets: Targets,
  settings: WebhookSettings,
  { timeoutMs = SEND_TIMEOUT_MS } = {},
): Send {
  const url = new URL(settings.url);
  const signers = settings.secrets.map((secret) => new Webhook(secret));
  return async (message: OutboundMessage, attempt: Attempt): Promise<SendResult> => {
    const body = JSON.stringify(bodyOf(message));
    let signature = "";
    const headers = () => {
      const now = new Date();
      signature = signers.map((signer) => signer.sign(message.id, now, body)).join(" ");
      return {
        "content-type": "application/json",
        accept: "application/json",
        "user-agent": USER_AGENT,
        "webhook-id": message.id,
        "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
        "webhook-signature": signature,
      };
    };
    const outcome = await httpPost(targets, { url, body, headers }, attempt, timeoutMs);
    if ("error" in outcome) return connectionFailure(outcome.error, outcome.hasLeft);
    return resultOf(
      outcome.answer,
      signature.split(" ").map((part) => part.slice("v1,".length)),
    );
  };
}

const bodyOf = ({ id, conversationId, contactId, to, text, createdAt }: OutboundMessage) => ({
  id,
  type: "message",
  conversationId,
  contactId,
  to,
  text,
  createdAt,
});

function resultOf(answer: HttpAnswer, secrets: readonly string[]): SendResult {
  const { status } = answer;
  if (status >= 200 && status < 300) return { outcome: AttemptOutcome.accepted, ...receiptOf(answer) };
  const code = `http_${status}`;
  if (status < 400) {
    const detail = status < 200 ? "which is not a final answer" : "and the gateway follows no redirects";
    return failure(AttemptOutcome.permanent, code, `The receiver answered ${status}, ${detail}.`);
  }
  const said = quote(answer.body.toString("utf8"), secrets);
  const detail = `The receiver answered ${status}${said}`;
  return RETRYABLE.includes(status) || (status >= 500 && status < 600)
    ? failure(AttemptOutcome.retryable, code, detail, retryAfterMs(answer.retryAfter))
    : failure(AttemptOutcome.permanent, code, detail);
}

/** What an answer says of the message; what is not as documented is ignored, because the message was accepted anyway. */
function receiptOf({ body, isComplete }: HttpAnswer): { providerId: string | null; isDelivered: boolean } {
  const { providerId, delivered } = isComplete ? jsonObject(body) : {};
  return { providerId: isProviderId(providerId) ? providerId : null, isDelivered: delivered === true };
}

function jsonObject(body: Buffer): { providerId?: unknown; delivered?: unknown } {
  // Most answers are empty or `OK`; an error for each would cost as much as signing the message.
  if (!body.includes("{")) return {};
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    return value !== null && typeof value === "object" ? value : {};
  } catch {
    return {};
  }
}

/** PostgreSQL refuses NUL, and neither database keeps half a surrogate pair. */
const isProviderId = (value: unknown): value is string =>
  typeof value === "string" &&
  value.length > 0 &&
  value.length <= PROVIDER_ID_MAX_LENGTH &&
  value.isWellFormed() &&
  !value.includes("\0");

/** The time that a `Retry-After` header asks for: seconds or a date (RFC 9110, 10.2.3); undefined for anything else. */
function retryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d+$/.test(header)
    ? Number(header) * 1000
    : /^[A-Z][a-z]+,? .* GMT$/.test(header)
      ? Date.parse(header) - Date.now()
      : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), DAY_MS);
}
