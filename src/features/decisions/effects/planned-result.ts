import type { Effect } from "../../configuration/document/effect";
import type { ExplanationError, GateExplanation } from "../explanation";
import { isLoop, LOOP_ERROR } from "../loop-gate";
import { isHandedOff } from "../plan";
import type { Result } from "./application";

const HANDED_OFF_ERROR: ExplanationError = {
  code: "handed_off",
  message:
    "A human is answering in the conversation, and the rule does not apply until the agent takes over again.",
};

/** Returns an effect's result if the plan alone determines it; otherwise undefined. */
export function resultOf(effect: Effect, gates: readonly GateExplanation[]): Result | undefined {
  const { kind, error, whileHuman } = effect;
  if (isHandedOff(gates) && !whileHuman) return { status: "skipped", error: HANDED_OFF_ERROR };
  if (error !== null) return { status: "failed", error };
  const isInLoop = isLoop(gates) && (kind === "send" || kind === "ask");
  return isInLoop ? { status: "skipped", error: LOOP_ERROR } : undefined;
}
