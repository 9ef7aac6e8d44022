import type { JsonSchema } from "../json-value";

const headerOf = (description: string, schema: JsonSchema = {}) => ({
  description,
  schema: { type: "string", ...schema },
});

const COUNT = { pattern: "^\\d+$" };

/** Every response header of the REST API. */
export const HEADERS = {
  "X-Request-Id": headerOf("The request's ID in the log: the ID sent by the client, if valid, or a new ID."),
  "WWW-Authenticate": headerOf(
    'How to authenticate. `Bearer` (RFC 6750) has `error="invalid_token"` if the credential is invalid, or `error="insufficient_scope"` and the missing `scope` if the key lacks it. `Standard-Webhooks` means that the request must be signed.',
    {
      pattern:
        '^(?:Bearer(?: error="invalid_token"| error="insufficient_scope", scope="[a-z]+:[a-z]+")?|Standard-Webhooks)$',
    },
  ),
  "Retry-After": headerOf("Seconds to wait before trying again.", COUNT),
  "Accept-Encoding": headerOf(
    "Content encodings that the server accepts for request bodies (RFC 9110, section 12.5.3).",
  ),
  "RateLimit-Policy": headerOf(
    "The key's quota: `q` requests in `w` seconds. Sent only if the key or the server has a limit.",
  ),
  RateLimit: headerOf("`r` requests remain in the current window, which ends in `t` seconds."),
  "RateLimit-Limit": headerOf("The `q` of `RateLimit-Policy`.", COUNT),
  "RateLimit-Remaining": headerOf("The `r` of `RateLimit`.", COUNT),
  "RateLimit-Reset": headerOf("The `t` of `RateLimit`.", COUNT),
  Link: headerOf(
    'Related links (RFC 8288): the next page as `rel="next"`, a successor as `successor-version`, documentation about a deprecation as `deprecation`.',
  ),
  "Last-Event-ID": headerOf("Position to continue from.", COUNT),
  "Idempotency-Replayed": headerOf(
    "`true` if the response is replayed from an earlier request with the same idempotency key.",
    { enum: ["true"] },
  ),
  Location: headerOf("Path of the created resource."),
  Deprecation: headerOf("When the operation was deprecated (RFC 9745).", { pattern: "^@\\d+$" }),
  Sunset: headerOf("When the operation will be removed (RFC 8594)."),
};

/** The headers that announce a deprecation. */
export const DEPRECATION_HEADERS = ["Deprecation", "Sunset", "Link"] as const;

export type HeaderName = keyof typeof HEADERS;

/** Returns references to the headers of a response, always including X-Request-Id. */
export const headers = (...names: HeaderName[]) =>
  Object.fromEntries(
    ["X-Request-Id" as const, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
