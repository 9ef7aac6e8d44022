/** Where the service runs; determines the prefix of the keys that it mints. */
export const ENVIRONMENTS = ["development", "staging", "production"] as const;
export type Environment = (typeof ENVIRONMENTS)[number];
