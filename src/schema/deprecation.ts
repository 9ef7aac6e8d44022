/** Announces the removal of an operation: since when it is deprecated, when it goes, and what replaces it. */
export interface Deprecation {
  since: Date;
  sunset: Date;
  /** Path of the replacement. */
  successor: string;
  /** A sentence for the GraphQL schema. */
  reason: string;
}
