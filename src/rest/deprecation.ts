/** That an operation goes away: since when it is deprecated, when it is removed, and what to use then. */
export interface Deprecation {
  since: Date;
  sunset: Date;
  /** Path of the replacement. */
  successor: string;
  /** A sentence for the schema. */
  reason: string;
}

/** Headers that announce it: Deprecation (RFC 9745), Sunset (RFC 8594), Link `successor-version` (RFC 5829). */
export const deprecationHeaders = ({ since, sunset, successor }: Deprecation): Record<string, string> => ({
  deprecation: `@${since.getTime() / 1000}`,
  sunset: sunset.toUTCString(),
  link: `<${successor}>; rel="successor-version"`,
});
