import { Ajv2020 } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import type { FastifyInstance, LightMyRequestResponse } from "fastify";
import { ERRORS } from "../../src/errors";
import { MAX_JSON_DEPTH } from "../../src/http/plugins/json-body";
import { createOpenApi } from "../../src/rest/openapi/openapi";
import fc from "../support/generated";
import { cases } from "../support/tiers";
import { groups, route, routes } from "./shapes/routes";
import { schema, startServer } from "./shapes/server";

const UUID = "01a1fcd2-254e-77bb-8319-2e26d1494ad2";

// biome-ignore lint/suspicious/noExplicitAny: a JSON document
const document = JSON.parse(JSON.stringify(createOpenApi(schema, [], groups))) as any;
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
// The format in ajv-formats accepts every integer.
ajv.addFormat("int64", {
  type: "number",
  validate: (value: number) => Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63,
});
ajv.addSchema({ ...document, $id: "openapi" });
const pointer = (...names: (string | number)[]) =>
  ajv.compile({
    $ref: `openapi#/${names.map((name) => encodeURIComponent(String(name).replaceAll("/", "~1"))).join("/")}`,
  });
const JSON_BODY = ["content", "application/json", "schema"];
const fitsShape = pointer("paths", "/echo", "post", "requestBody", ...JSON_BODY);
const fitsEcho = pointer("paths", "/echo", "post", "responses", 200, ...JSON_BODY);
const fitsFound = pointer("paths", "/found", "get", "responses", 200, ...JSON_BODY);

/** Returns the value without null members, which responses omit; nulls inside JSON values stay. */
const withoutNulls = (value: unknown, opaque = false): unknown => {
  if (Array.isArray(value)) return value.map((each) => withoutNulls(each, opaque));
  if (typeof value !== "object" || value === null || opaque) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== null)
      .map(([name, each]) => [name, withoutNulls(each, ["attributes", "anything"].includes(name))]),
  );
};

const text = fc.string({ unit: "grapheme", maxLength: 10 });
const int32 = fc.integer();
const double = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .map((each) => (Object.is(each, -0) ? 0 : each));
const jsonValue = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)));
const point = fc.record({ x: int32, y: double, label: fc.option(text) }, { requiredKeys: ["x", "y"] });
const moment = fc
  .date({ min: new Date(0), max: new Date("9999-01-01"), noInvalidDate: true })
  .map((date) => date.toISOString());
const shape = {
  flag: fc.boolean(),
  count: fc.option(fc.integer({ min: -1000, max: 1000 })),
  ratio: fc.option(double),
  name: fc.option(text),
  big: fc.maxSafeInteger(),
  color: fc.option(fc.constantFrom("red", "green", "blue")),
  ref: fc.option(fc.uuid()),
  at: fc.option(moment),
  point: fc.option(point),
  points: fc.option(fc.array(point, { maxLength: 3 })),
  tags: fc.option(fc.array(text, { maxLength: 3 })),
  grid: fc.option(fc.array(fc.array(fc.option(int32), { maxLength: 3 }), { maxLength: 3 })),
  bigs: fc.option(fc.array(fc.maxSafeInteger(), { maxLength: 3 })),
  bits: fc.option(fc.array(fc.option(fc.boolean()), { maxLength: 3 })),
  attributes: fc.option(fc.dictionary(text, jsonValue, { maxKeys: 3 })),
  anything: fc.option(jsonValue),
};
const shapes = fc.record(shape, { requiredKeys: ["flag", "big"] });
const junk = fc.oneof(
  fc.constantFrom<unknown>(null, true, "", "red", "x", 0, 1.5, 2 ** 31, 1001, [], {}, [null], [[]], [["x"]]),
  fc.constantFrom<unknown>(
    [1, 2, 3, 4],
    { x: 1, y: null },
    { x: "1" },
    { x: 1, z: 1 },
    [{ x: 1 }],
    "2026-13-01T00:00:00Z",
  ),
  jsonValue,
);

describe("REST over a schema with every JSON shape", () => {
  let app: FastifyInstance;
  beforeAll(async () => {
    app = await startServer(routes);
    await app.ready();
  });
  afterAll(() => app.close());

  const send = (method: string, url: string, body?: unknown, headers = {}): Promise<LightMyRequestResponse> =>
    app.inject({
      method: method as "GET",
      url,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { payload: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  const messageOf = (reply: LightMyRequestResponse): string => {
    expect({ status: reply.statusCode, body: reply.json() }).toEqual({
      status: 400,
      body: { code: "invalid_request", message: expect.any(String), status: 400 },
    });
    return reply.json().message;
  };

  test("a body is returned as it was sent, and both match the contract", async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async (sent) => {
        const reply = await send("POST", "/echo", sent);
        expect(reply.json()).toEqual(withoutNulls(sent));
        expect({ sent: fitsShape(sent), answered: fitsEcho(reply.json()) }).toEqual({
          sent: true,
          answered: true,
        });
      }),
      { numRuns: cases(300) },
    );
  });

  test("bodies that match the contract are accepted, and all others are rejected", async () => {
    const counts = { taken: 0, rejected: 0 };
    const name = fc.constantFrom(...Object.keys(shape), "surplus");
    await fc.assert(
      fc.asyncProperty(shapes, name, junk, async (good, at, bad) => {
        // A string that is not a UUID is rejected by the resolver, as in GraphQL.
        fc.pre(at !== "ref" || typeof bad !== "string");
        const sent = { ...good, [at]: bad };
        const reply = await send("POST", "/echo", sent);
        const isTaken = reply.statusCode === 200;
        expect({ sent, isTaken }).toEqual({ sent, isTaken: fitsShape(sent) });
        if (!isTaken) expect(messageOf(reply)).toContain(at);
        counts[isTaken ? "taken" : "rejected"] += 1;
      }),
      { numRuns: cases(1000) },
    );
    expect(Math.min(counts.taken, counts.rejected)).toBeGreaterThan(cases(100));
  });

  test.each([
    ["-9223372036854775808", "-9223372036854775808"],
    ["9223372036854775807", "9223372036854775807"],
    ["1e16", "10000000000000000"],
    ["9007199254740992.0", "9007199254740992"],
    ["12.5e1", "125"],
    ["-0.0", "0"],
    ["0e999999999", "0"],
  ])("the int64 %s is read exactly, alone and in a list", async (sent, stored) => {
    const reply = await send("POST", "/echo", `{"flag":true,"big":${sent},"bigs":[${sent}]}`);
    expect(reply.body).toBe(`{"flag":true,"big":${stored},"bigs":[${stored}]}`);
  });

  test.each([
    ['"7"', /^big must be a 64-bit integer.*leave out the quotes$/],
    ["1.5", /^big must be a 64-bit integer \(int64\)$/],
    ["9223372036854775808", /^big must be a 64-bit integer.*lossless JSON library$/],
    ["9.3e18", /^big must be a 64-bit integer.*lossless JSON library$/],
  ])("the rejection of %s for an int64 says what to do", async (sent, message) => {
    expect(messageOf(await send("POST", "/echo", `{"flag":true,"big":${sent}}`))).toMatch(message);
  });

  test("JSON values keep their numbers, or are rejected", async () => {
    const body = (value: string) => `{"flag":true,"big":1,"anything":${value}}`;
    expect((await send("POST", "/echo", body("[1e2,0.1,-5,true,null,1e300]"))).json().anything).toEqual([
      100,
      0.1,
      -5,
      true,
      null,
      1e300,
    ]);
    expect(messageOf(await send("POST", "/echo", body('{"a":[9007199254740993]}')))).toBe(
      "anything must not contain an integer that JSON parsers would round (send it as a string)",
    );
    // The body's own object counts as a level.
    const deep = (levels: number) => body(`${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}`);
    expect((await send("POST", "/echo", deep(MAX_JSON_DEPTH))).statusCode).toBe(200);
    expect((await send("POST", "/echo", deep(MAX_JSON_DEPTH + 1))).json()).toMatchObject({
      code: "invalid_json",
      message: expect.stringContaining("64 levels"),
    });
  });

  test("query parameters can contain every plain value, and lists by repetition", async () => {
    const query = fc.record(
      {
        flag: fc.boolean(),
        count: shape.count.filter((each) => each !== null),
        ratio: double,
        big: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
        color: fc.constantFrom("red", "green", "blue"),
        at: moment,
        sizes: fc.array(int32, { minLength: 1, maxLength: 3 }),
        tag: fc.array(text, { minLength: 1, maxLength: 3 }),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(query, async (sent) => {
        const search = Object.entries(sent).flatMap(([name, value]) =>
          [value].flat().map((each): [string, string] => [name, String(each)]),
        );
        const reply = await send("GET", `/found?${new URLSearchParams(search)}`);
        const { tag, big, ...same } = sent;
        const answer = JSON.parse(reply.body.replace(/"big":(-?\d+)/, '"big":"$1"'));
        expect(answer).toEqual({
          ...same,
          ...(tag && { tags: tag }),
          ...(big !== undefined && { big: String(big) }),
        });
        // JSON.parse rounds the greatest int64 to a value beyond int64.
        expect(fitsFound({ ...answer, ...(big !== undefined && { big: 1 }) })).toBe(true);
      }),
      { numRuns: cases(200) },
    );
  });

  test.each([
    ["flag=yes", "flag must be true or false"],
    ["flag=true&flag=true", "flag must be given only once"],
    ["count=1.0", "count must be a 32-bit integer"],
    ["count=1001", "count must be at most 1000"],
    ["ratio=0x1", "ratio must be a number"],
    ["ratio=1e999", "ratio must be a number"],
    ["big=9223372036854775808", "big must be a 64-bit integer (int64)"],
    ["color=pink", "color must be one of red, green, blue"],
    ["at=yesterday", "at must be a date and time such as 2026-11-21T06:36:32.978Z (RFC 3339)"],
    ["sizes=1&sizes=x", "sizes.1 must be a 32-bit integer"],
    ["tags=x", "tags is not known"],
  ])("?%s is 400", async (query, message) => {
    expect(messageOf(await send("GET", `/found?${query}`))).toBe(message);
  });

  test("the mistakes in query and body are all in one response, both types and ranges", async () => {
    expect(messageOf(await send("GET", "/found?count=1001&color=pink&flag=2&x=1"))).toBe(
      "flag must be true or false; count must be at most 1000; color must be one of red, green, blue; x is not known",
    );
    const body = { big: "1", count: 2000, point: { y: "1", z: 1 }, tags: ["a", 1, null], attributes: [] };
    expect(messageOf(await send("POST", "/echo", body)).split("; ")).toEqual([
      "flag is required",
      "count must be at most 1000",
      "big must be a 64-bit integer (int64), sent as a JSON number: leave out the quotes",
      "point.z is not known",
      "point.x is required",
      "point.y must be a number",
      "tags.1 must be a string",
      "tags.2 must not be null",
      "attributes must be an object",
    ]);
  });

  test("the mistakes in path and body are in one response", async () => {
    const served = await startServer([
      route("both", {
        method: "POST",
        path: "/both/:status",
        document: "mutation ($status: Int!) { accept(status: $status) }",
        pathParameters: [{ name: "status", variable: "status", example: 1 }],
        result: ["accept"],
      }),
      route("put", {
        method: "PUT",
        path: "/put/:version",
        document: `mutation ($expectedVersion: Int, $fresh: Boolean!, $tag: String!) {
          put(input: { id: 1, tag: $tag, expectedVersion: $expectedVersion, fresh: $fresh }) { created }
        }`,
        pathParameters: [{ name: "version", variable: "expectedVersion", example: 1 }],
        queryParameters: [{ name: "fresh", variable: "fresh" }],
        bodyMembers: [{ name: "tag", variable: "tag" }],
        result: ["put"],
      }),
    ]);
    const reply = await served.inject({
      method: "PUT",
      url: "/put/x?fresh=maybe",
      headers: { "content-type": "application/json" },
      payload: '{"tag":1}',
    });
    expect(messageOf(reply)).toBe(
      "version must be a 32-bit integer; fresh must be true or false; tag must be a string",
    );
    await served.close();
  });

  test("members of a body may be separate variables, and defaults and nulls are kept", async () => {
    const put = async (body?: object | string, headers = {}) => {
      const reply = await send("PUT", `/items/${UUID}/tags/a%20b`, body, headers);
      return { status: reply.statusCode, body: reply.json() };
    };
    const item = { id: UUID, tag: "a b" };
    expect(await put()).toEqual({ status: 201, body: item });
    expect(await put({})).toEqual({ status: 201, body: item });
    expect(await put("null", { "content-type": "application/json" })).toEqual({ status: 201, body: item });
    expect(await put({ version: 4, fresh: false })).toEqual({ status: 200, body: { ...item, version: 4 } });
    expect(await put({ version: null })).toEqual({ status: 201, body: item });
    expect(await put({ fresh: null })).toMatchObject({
      status: 400,
      body: { message: "fresh must not be null" },
    });
    expect(await put({}, { "idempotency-key": '"k"' })).toEqual({ status: 201, body: { ...item, key: "k" } });
    expect(await put({ version: 13 })).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect(await put({ version: 1001 })).toMatchObject({
      status: 400,
      body: { message: "version must be at most 1000" },
    });
  });

  test("problems with the fields of an input name the parts of the request that set them", async () => {
    const message = messageOf(await send("PUT", `/items/${UUID}/tags/vip`, { version: 14 }));
    const at = ["version", "tag.0", "Idempotency-Key", "other", "input"];
    expect(message).toBe(at.map((each) => `${each} is odd`).join("; "));
  });

  test("an object with alternatives must have exactly one, and null does not count", async () => {
    const fits = pointer("paths", "/choose", "post", "requestBody", ...JSON_BODY);
    const CHOICES: [body: object, taken: object | string][] = [
      [{ name: "x" }, { name: "x" }],
      [{ point: { x: 1 } }, { point: { x: 1, y: 0.5 } }],
      [{}, "id is required: pass exactly one of id, name and point"],
      [{ name: "x", id: "1" }, "name is not allowed with id: pass exactly one of id, name and point"],
      [{ id: 1, other: 2 }, "other is not known; id must be a string"],
    ];
    for (const [body, taken] of CHOICES) {
      const reply = await send("POST", "/choose", body);
      expect(typeof taken === "string" ? messageOf(reply) : reply.json()).toEqual(taken);
      expect({ body, fits: fits(body) }).toEqual({ body, fits: typeof taken === "object" });
    }
    expect((await send("POST", "/choose", { id: null, name: "x" })).json()).toEqual({ name: "x" });
  });

  test("a status depends on the result if the route says so, and only 201 has a Location", async () => {
    const made = await send("PUT", `/items/${UUID}/tags/vip`, { fresh: true });
    const kept = await send("PUT", `/items/${UUID}/tags/vip`, { fresh: false });
    expect([made.statusCode, made.headers.location]).toEqual([201, `/items/${UUID}/tags/vip`]);
    expect([kept.statusCode, kept.headers.location]).toEqual([200, undefined]);
    for (const status of [200, 202, 203, 204]) {
      const reply = await send("PATCH", "/accept", { status });
      expect([reply.statusCode, reply.body]).toEqual([status, status === 204 ? "" : String(status)]);
    }
    expect((await send("PATCH", "/accept", { status: 201 })).statusCode).toBe(500);
  });

  test("a 204 has no body, but a resource that does not exist is still 404", async () => {
    const gone = await send("DELETE", "/things/7");
    expect([gone.statusCode, gone.body, gone.headers["content-type"]]).toEqual([204, "", undefined]);
    for (const id of ["8", "x", "9".repeat(30)]) {
      expect((await send("DELETE", `/things/${id}`)).json()).toMatchObject({ code: "not_found" });
    }
  });

  test("a malformed plain path parameter is 400", async () => {
    expect((await send("GET", "/numbers/12")).body).toBe("12");
    expect(messageOf(await send("GET", "/numbers/x"))).toBe("value must be a 32-bit integer");
    expect((await send("GET", "/numbers")).body).toBe("[1.5,null,-2]");
  });

  test("an operation without a body accepts an empty one, {} or null, and no other", async () => {
    const json = { "content-type": "application/json" };
    expect((await send("POST", "/release")).body).toBe("true");
    expect((await send("POST", "/release", undefined, json)).body).toBe("true");
    expect((await send("POST", "/release", undefined, { ...json, "content-length": "0" })).body).toBe("true");
    for (const headers of [json, { "content-type": "text/plain" }]) {
      for (const body of ["{}", " {\r\n\t} ", "null", "null\n"]) {
        expect((await send("POST", "/release", body, headers)).body).toBe("true");
        expect((await send("DELETE", "/things/7", body, headers)).statusCode).toBe(204);
      }
      for (const body of ['{"version":1}', "{}{}", "[]", "nullnull", " ", "\u00a0{}"]) {
        for (const [method, path] of [["POST", "/release"] as const, ["DELETE", "/things/7"] as const]) {
          const reply = await send(method, path, body, headers);
          expect(messageOf(reply)).toBe("This operation takes no body, or an empty object: {}.");
        }
      }
    }
  });

  test("Link leads to the next page of the same path with the same parameters", async () => {
    const reply = await send("GET", `/groups/${UUID}/items?tag=a&tag=b%26&limit=1&cursor=x`);
    expect(reply.json()).toEqual([{ id: "1", tag: "t0" }]);
    expect(reply.headers.link).toBe(`</groups/${UUID}/items?tag=a&tag=b%26&limit=1&cursor=next>; rel="next"`);
  });

  test("a deprecated operation announces this on every response", async () => {
    const replies = [
      await send("POST", "/release"),
      await send("POST", "/release", "[]"),
      await send("POST", "/release", undefined, { "transfer-encoding": "gzip" }),
    ];
    expect(replies.map(({ statusCode }) => statusCode)).toEqual([200, 400, 400]);
    for (const { headers } of replies) {
      expect(headers).toMatchObject({
        deprecation: "@1767225600",
        sunset: "Fri, 01 Jan 2027 00:00:00 GMT",
        link: '</echo>; rel="successor-version", </docs#?route=post-/release>; rel="deprecation"; type="text/html"',
      });
    }
  });

  test("the contract describes parameters, bodies, statuses and errors as they are", () => {
    const { paths, components } = document;
    const put = paths["/items/{id}/tags/{tag}"].put;
    expect(put.parameters).toMatchObject([
      { name: "id", in: "path", required: true, schema: { type: "string", format: "uuid" }, example: UUID },
      { name: "tag", in: "path", required: true, schema: { type: "string" }, example: "vip" },
      { name: "Idempotency-Key", in: "header" },
    ]);
    expect(put.requestBody.required).toBe(false);
    expect(components.schemas.PutTagInput).toEqual({
      type: "object",
      properties: {
        version: {
          oneOf: [
            expect.objectContaining({ type: "integer", format: "int32", minimum: -1000, maximum: 1000 }),
            { type: "null" },
          ],
          description: "The version.",
        },
        fresh: { type: "boolean", default: true },
      },
      required: [],
      additionalProperties: false,
    });
    expect([put.responses[200].description, put.responses[201].description]).toEqual([
      "It was there.",
      "It is new.",
    ]);
    expect([put.responses[200].headers.Location, put.responses[201].headers.Location]).toEqual([
      undefined,
      { $ref: "#/components/headers/Location" },
    ]);
    const remove = paths["/things/{id}"].delete;
    expect(remove.parameters[0]).toMatchObject({ schema: { type: "integer", format: "int64" }, example: 7 });
    expect(remove.responses[204].content).toBeUndefined();
    const conflict = components.responses[put.responses[409].$ref.split("/").at(-1)];
    expect(Object.keys(conflict.content["application/json"].examples)).toEqual([
      "idempotency_key_reused",
      "conflict",
    ]);
    expect(components.responses[put.responses[404].$ref.split("/").at(-1)].description).toContain(
      ERRORS.not_found.message,
    );
    const page = paths["/groups/{id}/items"].get;
    expect(page.responses[200].content["application/json"].schema.maxItems).toBe(5);
    expect(page.parameters[1].schema).toMatchObject({ type: "integer", format: "int32", default: 2 });
    expect(page.parameters[3].schema).toMatchObject({ type: "array", items: { type: "string" } });
    expect(components.schemas.PointInput.properties.y).toEqual({
      oneOf: [{ type: "number", format: "double" }, { type: "null" }],
      default: 0.5,
    });
    // Other operations select other fields of Item.
    expect(Object.keys(components.schemas.Item.properties)).toEqual(["id", "tag"]);
    expect(Object.keys(components.schemas.PutTagItem.properties)).toEqual(["id", "tag", "version", "key"]);
  });
});
