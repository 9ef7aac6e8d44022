import {
  type Attempt,
  AttemptOutcome,
  type OutboundMessage,
  PROVIDER_ID_MAX_LENGTH,
  SEND_TIMEOUT_MS,
  type Send,
  type SendResult,
} from "./driver";
import type { HttpAnswer } from "./http-post";
import { createSignedPost, type SignedTarget } from "./signed-post";
import type { Targets } from "./targets";

/** Sends messages as Standard Webhooks; `webhook-id` is the message's ID. Throws like `createSignedPost`. */
export function createWebhookDriver(
  targets: Targets,
  target: SignedTarget,
  { timeoutMs = SEND_TIMEOUT_MS } = {},
): Send {
  const post = createSignedPost(targets, target, timeoutMs);
  return async (message: OutboundMessage, attempt: Attempt): Promise<SendResult> => {
    const outcome = await post({ id: message.id, body: JSON.stringify(bodyOf(message)) }, attempt);
    return "accepted" in outcome
      ? { outcome: AttemptOutcome.accepted, ...receiptOf(outcome.accepted) }
      : outcome.failure;
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

/**
 * Returns the content of a response; anything undocumented is ignored, because the message has already been accepted.
 */
function receiptOf({ body, isComplete }: HttpAnswer): { providerId: string | null; isDelivered: boolean } {
  const { providerId, delivered } = isComplete ? jsonObject(body) : {};
  return { providerId: isProviderId(providerId) ? providerId : null, isDelivered: delivered === true };
}

function jsonObject(body: Buffer): { providerId?: unknown; delivered?: unknown } {
  // Most responses are empty or `OK`, and a parse error for each would cost as much as signing the message.
  if (!body.includes("{")) return {};
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    return value !== null && typeof value === "object" ? value : {};
  } catch {
    return {};
  }
}

/** PostgreSQL rejects NUL, and neither database can store a lone surrogate. */
const isProviderId = (value: unknown): value is string =>
  typeof value === "string" &&
  value.length > 0 &&
  value.length <= PROVIDER_ID_MAX_LENGTH &&
  value.isWellFormed() &&
  !value.includes("\0");
