import type { Deprecation } from "../schema/deprecation";

/** Returns the headers of a deprecation: Deprecation (RFC 9745), Sunset (RFC 8594), Link `successor-version` (RFC 5829). */
export const deprecationHeaders = ({ since, sunset, successor }: Deprecation, publicUrl: string) => ({
  deprecation: `@${since.getTime() / 1000}`,
  sunset: sunset.toUTCString(),
  link: `<${publicUrl}${successor}>; rel="successor-version"`,
});

/** Returns the sentence about a deprecation in descriptions. */
export const removalOf = ({ sunset }: Deprecation) =>
  `Deprecated: it will be removed on ${sunset.toISOString().slice(0, 10)}.`;
