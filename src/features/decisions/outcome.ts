import type { DecisionOutcome } from "./decision.entity";
import type { EffectExplanation, EffectStatus } from "./explanation";

/** An effect's kind and result. */
export type EffectResult = Pick<EffectExplanation, "kind" | "status">;

/** Returns the outcome of a decision with the given effects. */
export function outcomeOf(effects: readonly EffectResult[]): DecisionOutcome {
  const isDone = (wanted: string) => effects.some(({ kind, status }) => kind === wanted && status === "done");
  if (isDone("handoff")) return "handoff";
  if (isDone("send")) return "send";
  const isInEffect = hasStatus("done", "unchanged");
  return effects.some(hasStatus("failed")) &&
    !effects.some((effect) => isInEffect(effect) && !wasAsked(effect))
    ? "failed"
    : "silent";
}

/** True for an `ask` effect that the model answered; the answer's effects are listed after it. */
export const wasAsked = ({ kind, status }: EffectResult): boolean => kind === "ask" && status === "done";

export const hasStatus =
  (...statuses: readonly EffectStatus[]) =>
  ({ status }: EffectResult): boolean =>
    statuses.includes(status);
