import type { JsonSchema } from "./input-schema";

const headerOf = (description: string, schema: JsonSchema = { type: "string" }) => ({ description, schema });

/** Every response header of the REST door. */
export const HEADERS = {
  "X-Request-Id": headerOf("Identifies the request in the log; the client's own where it sent a fit one."),
  "WWW-Authenticate": headerOf("The scheme to authenticate with.", { type: "string", const: "Bearer" }),
  Allow: headerOf("The methods that the path has (RFC 9110, 10.2.1)."),
  "Retry-After": headerOf("Seconds to wait before trying again.", { type: "string", pattern: "^\\d+$" }),
  Link: headerOf(
    'Related addresses (RFC 8288): the next page as `rel="next"`, a successor as `successor-version`.',
  ),
  Location: headerOf("Path of what was created."),
  Deprecation: headerOf("Since when the operation is deprecated (RFC 9745).", {
    type: "string",
    pattern: "^@\\d+$",
  }),
  Sunset: headerOf("When the operation goes away (RFC 8594)."),
};

/** One of them. */
export type HeaderName = keyof typeof HEADERS;

/** References to headers of a response; X-Request-Id is on each. */
export const headers = (...names: HeaderName[]) =>
  Object.fromEntries(
    ["X-Request-Id" as const, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
