import type { Deprecation } from "../schema/deprecation";
import type { RestRoute } from "../schema/rest-route";
import { sectionOf } from "./openapi/viewer";

/**
 * Returns the response headers of a deprecated route: Deprecation (RFC 9745), Sunset (RFC 8594) and Link, with the URLs
 * of the route's successor (`successor-version`, RFC 5829) and of its section in `/docs` (`deprecation`, RFC 9745).
 */
export const deprecationHeaders = (
  route: Pick<RestRoute, "method" | "path">,
  { since, sunset, successor }: Deprecation,
  publicUrl: string,
) => ({
  deprecation: `@${since.getTime() / 1000}`,
  sunset: sunset.toUTCString(),
  link: `<${publicUrl}${successor}>; rel="successor-version", <${publicUrl}${sectionOf(route)}>; rel="deprecation"; type="text/html"`,
});

/** Returns a sentence, for use in descriptions, that says when a deprecated part will be removed. */
export const removalOf = ({ sunset }: Deprecation) =>
  `Deprecated: it will be removed on ${sunset.toISOString().slice(0, 10)}.`;
