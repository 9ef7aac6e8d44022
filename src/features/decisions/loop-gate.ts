import type { ExplanationError, GateExplanation } from "./explanation";

/** The gate that prevents endless reply loops between two programs. */
const LOOP = "loop";

/** Max automatic answers to an address per hour; the decision that reaches it can still send its messages. */
export const MAX_AUTOMATIC_ANSWERS = 5;

export const LOOP_ERROR: ExplanationError = {
  code: LOOP,
  message: `The address received ${MAX_AUTOMATIC_ANSWERS} automatic answers within an hour.`,
};

/** Returns the gate for the given number of automatic answers. */
export const loopGate = (answers: number): GateExplanation => ({
  name: LOOP,
  passed: answers < MAX_AUTOMATIC_ANSWERS,
});

/** True if the loop gate prevents an agent from sending. */
export const isLoop = (gates: readonly GateExplanation[]): boolean =>
  gates.some(({ name, passed }) => name === LOOP && !passed);
