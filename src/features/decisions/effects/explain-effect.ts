import type { Effect } from "../../configuration/document/effect";
import { ScheduledReason } from "../../messages/message.enums";
import { pathOfReview, reviewGate } from "../../messages/message-gate";
import type { EffectExplanation, TimerExplanation } from "../explanation";
import type { Result, TimerChange } from "./application";

export function explain(
  effect: Effect,
  { status, error, line, obstacles, timer, ...schedule }: Result = { status: "skipped" },
  messageId: string | undefined = undefined,
): EffectExplanation {
  return {
    kind: effect.kind,
    ruleId: effect.ruleId,
    status,
    error: error ?? null,
    messageId: messageId ?? null,
    template: "template" in effect ? effect.template : null,
    text: "text" in effect ? effect.text : null,
    ...("locale" in effect && { locale: effect.locale }),
    ...("subject" in effect && { subject: effect.subject }),
    ...("html" in effect && { html: effect.html }),
    ...("resendOf" in effect && { resendOf: effect.resendOf }),
    delaySeconds: "delaySeconds" in effect ? effect.delaySeconds : null,
    ...("topic" in effect && { topic: effect.topic }),
    ...("isUrgent" in effect && { isUrgent: effect.isUrgent }),
    ...gateIn(schedule, ("topic" in effect && effect.topic) || null),
    line: line !== undefined ? line : "line" in effect ? effect.line : null,
    ...(obstacles !== undefined && { obstacles }),
    tags: "tags" in effect ? effect.tags : null,
    reason: "reason" in effect ? effect.reason : null,
    ...("scope" in effect && { scope: effect.scope }),
    ...("key" in effect && { timer: explainTimer(effect, timer) }),
  };
}

/** Returns, for a decision's explanation, the gate that holds back a message. */
function gateIn({ sendAt, heldBy, review }: Omit<Result, "status">, topic: string | null) {
  if (review !== undefined) return { gate: reviewGate(pathOfReview(review), topic) };
  if (sendAt === undefined) return {};
  const { reason, path } = heldBy ?? { reason: ScheduledReason.delay, path: null };
  return { gate: { name: reason, until: sendAt, path, topic } };
}

const explainTimer = (effect: TimerChange, timer: Result["timer"]): TimerExplanation => ({
  timerId: timer?.id ?? null,
  key: effect.key,
  ...(effect.kind === "later" && {
    situationType: effect.situation,
    data: effect.data,
    dueAt: timer?.dueAt ?? effect.dueAt,
  }),
});
