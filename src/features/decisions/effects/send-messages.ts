import { timestampOf } from "../../../common/time";
import type { Tx } from "../../../database/unit-of-work";
import type { Effect } from "../../configuration/document/effect";
import { type MessageToQueue, queueMessages } from "../../conversations/queue-messages";
import { Message } from "../../messages/message.entity";
import { MessageAuthor, ScheduledReason } from "../../messages/message.enums";
import type { Application, Result, Send } from "./application";

/**
 * Returns when to queue a message: after its delay and, unless a person must approve it first, within one
 * of the policy's windows. `sendAt` is undefined if it can be queued immediately.
 */
export function scheduleOf(
  { delaySeconds, isUrgent, review }: Send,
  { bound, now }: Application,
): Pick<Result, "sendAt" | "heldBy" | "review"> {
  const delayed = delaySeconds > 0 ? timestampOf(Date.parse(now) + delaySeconds * 1000) : undefined;
  if (review !== undefined) return { sendAt: delayed, review };
  const closed = isUrgent ? undefined : bound?.policy.closedUntil(bound.timezone, delayed ?? now);
  if (closed === undefined) return { sendAt: delayed };
  return { sendAt: closed.until, heldBy: { reason: ScheduledReason.window, path: closed.path } };
}

/** Queues messages in order, and returns their IDs. */
export async function send(
  tx: Tx,
  effects: readonly Effect[],
  results: readonly (Result | undefined)[],
  { lanes, agentId, decisionId, isAnswer }: Application,
): Promise<ReadonlyMap<Effect, string>> {
  const sends = effects.flatMap((effect, i) => {
    const { destination, addressId, sendAt, heldBy, review } = results[i] ?? {};
    if (effect.kind !== "send" || destination === undefined) return [];
    const draft: MessageToQueue = {
      agentId,
      text: effect.text ?? "",
      subject: effect.subject,
      html: effect.html,
      author: MessageAuthor.agent,
      decisionId,
      sendAt,
      heldBy,
      review,
      topic: effect.topic,
      isUrgent: effect.isUrgent,
      answeredAddressId: isAnswer ? addressId : undefined,
      conversation: destination.conversation,
    };
    return [{ effect, draft }];
  });
  if (sends.length === 0 || tx.isDryRun) return new Map();
  const messages = await queueMessages(
    tx,
    lanes,
    sends.map(({ draft }) => draft),
  );
  const ids = new Map(sends.map(({ effect }, i) => [effect, messages[i]?.id ?? ""]));
  for (const [{ resendOf }, resentAs] of ids)
    if (resendOf !== undefined) await tx.update(Message, { id: resendOf }, { resentAs });
  return ids;
}
