/** Deprecation of an operation: its start, the date of removal and the replacement. */
export interface Deprecation {
  since: Date;
  sunset: Date;
  /** Path of the replacement. */
  successor: string;
  /** Deprecation reason in the GraphQL schema. */
  reason: string;
}
