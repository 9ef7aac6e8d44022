/** A test's expectation that the agent's decision does not meet. */
export interface TestDifference {
  testId: string;
  /** Path of the expectation, such as `tests[3].expect.rule`. */
  path: string;
  /** The expected and actual results, as a sentence. */
  message: string;
  /** The rule that caused the difference; null for `otherwise`, or if the situation was rejected. */
  ruleId: string | null;
  /** Position in the rule (from 1) of the condition that caused the difference; null if no condition did. */
  clause: number | null;
}
