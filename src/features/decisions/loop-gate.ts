import type { ExplanationError, GateExplanation } from "./explanation";

/** The gate that keeps two programs from answering each other endlessly. */
const LOOP = "loop";

/** Max automatic answers to an address within an hour; the decision that reaches it may still send all its messages. */
export const MAX_AUTOMATIC_ANSWERS = 5;

/** Why an effect was skipped while the gate is closed. */
export const LOOP_ERROR: ExplanationError = {
  code: LOOP,
  message: `The address got ${MAX_AUTOMATIC_ANSWERS} automatic answers within an hour.`,
};

/** The gate for a number of automatic answers. */
export const loopGate = (answers: number): GateExplanation => ({
  name: LOOP,
  passed: answers < MAX_AUTOMATIC_ANSWERS,
});

/** True if a loop keeps an agent from sending. */
export const isLoop = (gates: readonly GateExplanation[]): boolean =>
  gates.some(({ name, passed }) => name === LOOP && !passed);
