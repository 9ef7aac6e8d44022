import fc from "../support/generated";
import { EDGES, hostile, int, json, junk, maybe, text } from "../support/hostile-values";

/** A request to any path. */
export interface RestRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

const pathText = text.filter((each) => each.isWellFormed()).map(encodeURIComponent);
const name = fc.constantFrom(
  ...["limit", "status", "cursor", "offset", "limit[]", "__proto__", "constructor", "", "%00"],
);
const search = fc
  .array(
    fc.tuple(
      name,
      fc.oneof(
        fc.integer({ min: -1, max: 101 }).map(String),
        fc.constantFrom("sold", "available", "lost", "1e1", "%ZZ", "%FF", "0x10"),
        pathText,
      ),
    ),
    { maxLength: 4 },
  )
  .map((pairs) => (pairs.length === 0 ? "" : `?${pairs.map((pair) => pair.join("=")).join("&")}`));

const path = fc.oneof(
  { weight: 5, arbitrary: search.map((each) => `/v1/pets${each}`) },
  {
    weight: 4,
    arbitrary: fc
      .oneof(fc.integer({ min: 0, max: 60 }).map(String), int.map(String), pathText)
      .map((id) => `/v1/pets/${id}`),
  },
  { weight: 3, arbitrary: search.map((each) => `/messages${each}`) },
  { weight: 2, arbitrary: search.map((each) => `/agent/whoami${each}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...["/", "/v1", "/v1/pets/", "/v1//pets", "/V1/PETS", "/v1/pets/1/2", "/healthz", "/readyz"],
      ...["/openapi.json", "/docs", "/dashboard", "/dashboard/assets/x.js"],
      ...["/dashboard/assets/..%2f..%2fpackage.json", "/graphql", "/%2e%2e/%2e%2e/etc/passwd"],
      ...["/messages;x=1", "/agent/whoami%00"],
    ),
  },
  { weight: 1, arbitrary: fc.array(pathText, { maxLength: 3 }).map((parts) => `/${parts.join("/")}`) },
);

const pet = fc.record(
  {
    name: maybe(hostile(text)),
    categoryId: maybe(hostile(int)),
    status: maybe(hostile(fc.constantFrom("available", "pending", "sold", "lost"))),
  },
  { requiredKeys: [] },
);
const message = fc.record({ message: maybe(hostile(text)) }, { requiredKeys: [] });
const odd = fc.dictionary(
  fc.oneof(
    fc.constantFrom("name", "message", "categoryId", "constructor", "toString", "idempotencyKey", "id"),
    text,
  ),
  fc.oneof(junk, int, text),
  { maxKeys: 5 },
);
const valid = fc.oneof(pet, pet, message, message, odd, junk).map((value) => json(value, String));

/** Bodies of all kinds, most of them for existing routes. */
export const body: fc.Arbitrary<string | Uint8Array<ArrayBuffer>> = fc.oneof(
  { weight: 8, arbitrary: valid },
  { weight: 1, arbitrary: fc.json() },
  {
    weight: 1,
    arbitrary: fc.tuple(valid, fc.nat()).map(([each, at]) => each.slice(0, at % (each.length + 1))),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(valid, fc.nat(), fc.uint8Array({ maxLength: 5 })).map(([each, at, bytes]) => {
      const cut = at % (each.length + 1);
      return new Uint8Array(
        Buffer.concat([Buffer.from(each.slice(0, cut)), bytes, Buffer.from(each.slice(cut))]),
      );
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '{"name":"a","name":"b","categoryId":1}',
      '{"__proto__":{"name":"a"},"categoryId":1}',
      '{"__proto__":{"name":"a","categoryId":1,"message":"a"}}',
      '{"constructor":{"prototype":{"name":"a"}},"name":"a","categoryId":1}',
      '{"name":"a","categoryId":1e400}',
      '{"name":"a","categoryId":1.0}',
      '{"name":"a","categoryId":-0}',
      '{"name":"\\ud800","categoryId":1}',
      '{"message":"\\u0000"}',
      `{"name":"a","categoryId":${"9".repeat(5_000)}}`,
      `{"name":${"[".repeat(5_000)}${"]".repeat(5_000)}}`,
      `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`,
      "\ufeff{}",
      " ",
      "",
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(...EDGES).map((edge) => `{"name":"edge","categoryId":${edge}}`) },
);

const token = fc
  .string({ unit: fc.constantFrom(...'abcXYZ019_-.:;=,/ "\\()<>@é'), maxLength: 60 })
  .map((each) => each.trim());
const headers = fc.record(
  {
    "content-type": fc.oneof(
      { weight: 12, arbitrary: fc.constant("application/json") },
      fc.constantFrom(
        "application/json; charset=utf-8",
        "application/json;charset=utf-16",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json, text/plain",
        "a/b;",
        ";",
      ),
      token,
    ),
    "idempotency-key": fc.oneof(
      fc.constantFrom("one", '"one"', "two", "x".repeat(255), "x".repeat(256)),
      token,
    ),
    accept: fc.oneof(fc.constantFrom("*/*", "application/json", "text/html", "application/xml;q=0"), token),
    authorization: fc.oneof(
      fc.constantFrom(
        "Bearer",
        "bearer x",
        "Basic eDp4",
        "Bearer agk_dev_x_y",
        "Bearer  ",
        "Bearer a, Bearer b",
      ),
      token,
    ),
    "x-request-id": token,
    "x-forwarded-for": token,
    cookie: fc.oneof(fc.constantFrom("gateway_session=x", "gateway_session", "=", "__proto__=1"), token),
    origin: fc.oneof(fc.constantFrom("null", "https://evil.example.com"), token),
    "sec-fetch-site": fc.constantFrom("cross-site", "same-origin", "none", "x"),
    "user-agent": token,
    "x-http-method-override": fc.constantFrom("DELETE", "POST"),
    "if-none-match": fc.constantFrom("*", '"x"'),
    range: fc.constantFrom("bytes=0-", "bytes=5-1", "x"),
  },
  { requiredKeys: [] },
);

const FEW = ["authorization", "cookie", "content-type"];

const METHODS = [
  ...["GET", "POST", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "PROPFIND", "PURGE", "QUERY"],
] as const;

/** Returns a method that the path supports. */
const usualMethod = (path: string, odd: number): string =>
  path.startsWith("/messages") || (/^\/v1\/pets(\?|$)/.test(path) && odd % 2 === 1) ? "POST" : "GET";

/** Requests of all kinds that an HTTP client can send. */
export const restRequest: fc.Arbitrary<RestRequest> = fc
  .record({
    other: fc.oneof(
      { weight: 6, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
    ),
    path,
    headers,
    keep: fc.nat({ max: 9 }),
    body: fc.option(body, { freq: 20, nil: undefined }),
  })
  .map(({ other, path, ...rest }) => ({ method: other ?? usualMethod(path, rest.keep), path, ...rest }))
  .map(({ method, path, headers, keep, body }) => ({
    method,
    path,
    // Most requests have none of the headers that would get them rejected.
    headers: Object.fromEntries(
      Object.entries(headers).filter(([each]) => keep === 0 || !FEW.includes(each)),
    ),
    ...(method !== "GET" && method !== "HEAD" && body !== undefined && { body }),
  }));
