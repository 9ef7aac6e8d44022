/** A test's expectation that the agent does not meet. */
export interface TestDifference {
  testId: string;
  /** The expectation, such as `tests[3].expect.rule`. */
  path: string;
  /** The expected and the actual result, as a sentence. */
  message: string;
  /** The rule that caused the difference; null for `otherwise`, or if the situation was rejected. */
  ruleId: string | null;
  /** The number of the rule's condition that caused it, from 1; null if none did. */
  clause: number | null;
}
