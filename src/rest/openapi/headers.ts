import type { JsonSchema } from "../json-value";

const headerOf = (description: string, schema: JsonSchema = { type: "string" }) => ({ description, schema });

const COUNT = { type: "string", pattern: "^\\d+$" };

/** Every response header of the REST API. */
export const HEADERS = {
  "X-Request-Id": headerOf("Identifies the request in the log; the client's own where it sent a fit one."),
  "WWW-Authenticate": headerOf(
    'How to authenticate (RFC 6750): `Bearer`, with `error="invalid_token"` for a credential that is not accepted, and `error="insufficient_scope"` with the `scope` that a key lacks.',
    {
      type: "string",
      pattern: '^Bearer(?: error="invalid_token"| error="insufficient_scope", scope="[a-z]+:[a-z]+")?$',
    },
  ),
  "Retry-After": headerOf("Seconds to wait before trying again.", { type: "string", pattern: "^\\d+$" }),
  "Accept-Encoding": headerOf("The encodings of a body that the server takes (RFC 9110, 12.5.3)."),
  "RateLimit-Policy": headerOf(
    "How often the key may call: `q` requests in `w` seconds. Sent where there is a limit.",
  ),
  RateLimit: headerOf("`r` requests are left in this window, which ends in `t` seconds."),
  "RateLimit-Limit": headerOf("The `q` of `RateLimit-Policy`.", COUNT),
  "RateLimit-Remaining": headerOf("The `r` of `RateLimit`.", COUNT),
  "RateLimit-Reset": headerOf("The `t` of `RateLimit`.", COUNT),
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

/** Those that announce a deprecation. */
export const DEPRECATION_HEADERS = ["Deprecation", "Sunset", "Link"] as const;

/** One of them. */
export type HeaderName = keyof typeof HEADERS;

/** References to headers of a response; X-Request-Id is on each. */
export const headers = (...names: HeaderName[]) =>
  Object.fromEntries(
    ["X-Request-Id" as const, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
