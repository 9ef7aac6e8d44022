/** Something that a test expects, and that the agent does not do. */
export interface TestDifference {
  testId: string;
  /** The expectation, such as `tests[3].expect.rule`. */
  path: string;
  /** What was expected, and what happened instead. */
  message: string;
  /** The rule that is the reason; null for `otherwise`, or if the situation was rejected. */
  ruleId: string | null;
  /** The number of the rule's condition that is the reason, from 1; null if none is. */
  clause: number | null;
}
