import { ERRORS } from "../../src/errors";
import { version } from "../../src/version";
import { mint, operator } from "../support/gateway";
import { expire } from "../support/keys";
import { callTool, rpc, toolError } from "../support/mcp";
import { scrape } from "../support/metrics";
import { addOrganization } from "../support/people";
import { expectRestError } from "../support/rejections";
import { describeGateway } from "../support/suite";

const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
const CORS_ORIGINS = "https://pages.example.com";

describeGateway(
  { engine: "one", strict: true, storesNothing: true, env: { CORS_ORIGINS, LOG_LEVEL: "info" } },
  (gateway) => {
    test("a request without a key, with a session or with a dead key is rejected as in REST", async () => {
      const off = await addOrganization(gateway, "switched-off");
      const [revoked, expired, unresolvable] = [
        await mint(gateway),
        await mint(gateway),
        await mint(gateway, { agent: "switched-off-agent" }),
      ];
      await gateway.services.keys.revoke(await operator(gateway), revoked.id);
      await expire(gateway, expired.id);
      await gateway.services.organizations.deactivate(await operator(gateway, "switched-off"));
      for (const [token, code] of [
        [null, "unauthenticated"],
        ["agk_dev_x", "invalid_api_key"],
        [revoked.secret, "key_revoked"],
        [expired.secret, "key_expired"],
        [unresolvable.secret, "key_not_resolvable"],
        [gateway.owner, "forbidden"],
        [off.manager.token, "forbidden"],
      ] as const) {
        for (const method of ["initialize", "tools/list", "ping"])
          expectRestError(await rpc(gateway, method, {}, { token }), code);
      }
    });

    test("a revoked key is rejected from the next request on", async () => {
      const { id, secret } = await mint(gateway);
      expect((await rpc(gateway, "tools/list", {}, { token: secret })).status).toBe(200);
      await gateway.services.keys.revoke(await operator(gateway), id);
      expectRestError(await rpc(gateway, "tools/list", {}, { token: secret }), "key_revoked");
    });

    test.each(["GET", "DELETE", "PUT", "PATCH"])("%s is not allowed: there is no session", async (method) => {
      const reply = await gateway.rest(method, "/mcp", { headers: { accept: "text/event-stream" } });
      expectRestError(reply, "method_not_allowed");
      expect(reply.headers.get("allow")).toBe("POST, OPTIONS");
    });

    test("pages of foreign origins are rejected before their key is checked", async () => {
      const foreign: Record<string, string>[] = [
        { origin: "https://evil.example.com" },
        { origin: "null" },
        { origin: "http://localhost:1" },
        { "sec-fetch-site": "cross-site" },
      ];
      for (const headers of foreign) {
        for (const token of [gateway.key, null])
          expectRestError(await gateway.rest("POST", "/mcp", { body: PING, headers, token }), "forbidden");
      }
      for (const origin of [CORS_ORIGINS, gateway.url]) {
        const reply = await gateway.rest("POST", "/mcp", { body: PING, headers: { origin } });
        expect(reply.body).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
      }
    });

    test.each([
      ["a batch", [PING, { ...PING, id: 2 }], -32600],
      ["an empty batch", [], -32600],
      ["no JSON", '{"jsonrpc":', -32700],
      ["two values of a member", '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32700],
      ["null", "null", -32600],
      ["a text", '"ping"', -32600],
      ["no version", { id: 1, method: "ping" }, -32600],
      ["no method", { jsonrpc: "2.0", id: 1 }, -32600],
    ])("%s is a protocol error with 400", async (_, body, code) => {
      const reply = await gateway.rest("POST", "/mcp", { body });
      expect(reply.status).toBe(400);
      expect(reply.headers.get("content-type")).toMatch(/^application\/json/);
      expect(reply.body).toEqual({
        jsonrpc: "2.0",
        id: (body as { id?: number; method?: string }).method === "ping" ? 1 : null,
        error: { code, message: expect.stringMatching(/\S/) },
      });
    });

    test.each([
      ["an unknown method", "nothing/here", {}, -32601],
      ["a prompt that does not exist", "prompts/get", { name: "none" }, -32602],
      ["a resource that does not exist", "resources/read", { uri: "file:///none" }, -32602],
      ["an unknown tool", "tools/call", { name: "dropTables" }, -32602],
      ["a name of JavaScript", "tools/call", { name: "__proto__" }, -32602],
      ["a tool without a name", "tools/call", {}, -32602],
      ["arguments that are not an object", "tools/call", { name: "whoami", arguments: [1] }, -32602],
    ])("%s is a protocol error with the ID of the request", async (_, method, params, code) => {
      const { body } = await rpc(gateway, method, params);
      expect(body).toEqual({ jsonrpc: "2.0", id: 1, error: { code, message: expect.stringMatching(/\S/) } });
    });

    test.each([
      ["prompts/list", { prompts: [] }],
      ["resources/list", { resources: [] }],
      ["resources/templates/list", { resourceTemplates: [] }],
    ])("%s returns an empty list", async (method, result) => {
      expect((await rpc(gateway, method)).body.result).toEqual(result);
    });

    test("a path with a trailing slash is the same", async () => {
      const reply = await gateway.rest("POST", "/mcp/", { body: PING });
      expect(reply.body).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
      expectRestError(await gateway.rest("POST", "/mcp/", { body: PING, token: null }), "unauthenticated");
      expectRestError(await gateway.rest("GET", "/mcp/"), "method_not_allowed");
    });

    test("null or an empty string counts as an omitted optional argument", async () => {
      const unused = { limit: null, status: "", cursor: null };
      const { body } = await callTool(gateway, "listPets", unused);
      expect(body.result).toEqual((await callTool(gateway, "listPets")).body.result);
      const pet = { name: "", categoryId: 1, status: null, idempotencyKey: "" };
      expect(toolError(await callTool(gateway, "createPet", pet))?.message).toBe("name must not be empty");
    });

    test.each([
      [{ ref: "customer-17", id: "" }, "not_found"],
      [{ ref: "", id: "" }, "invalid_request"],
      [{ address: { kind: "email", address: "" }, id: "" }, "invalid_request"],
      [[], "invalid_request"],
    ])("an empty string in the argument %j counts as omitted if optional", async (contact, code) => {
      const reply = await callTool(gateway, "openConversation", { contact });
      expect(toolError(reply)?.code).toBe(code);
    });

    test("an unsupported version of the protocol is 400", async () => {
      const headers = { "mcp-protocol-version": "1999-01-01" };
      const reply = await gateway.rest("POST", "/mcp", { body: PING, headers });
      expect(reply.status).toBe(400);
      expect(reply.body.error.message).toContain("1999-01-01");
    });

    test("no stream is opened for changes of the tools, which never change", async () => {
      const meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" };
      const reply = await gateway.rest("POST", "/mcp", {
        headers,
        body: {
          ...PING,
          method: "subscriptions/listen",
          params: { _meta: meta, notifications: { toolsListChanged: true } },
        },
      });
      expect(reply.headers.get("content-type")).toMatch(/^application\/json/);
      expect(reply.body.error.code).toBe(-32603);
    });

    test("a notification is accepted with 202 and no body", async () => {
      const body = { jsonrpc: "2.0", method: "notifications/initialized" };
      const reply = await gateway.rest("POST", "/mcp", { body });
      expect([reply.status, reply.text]).toEqual([202, ""]);
    });

    test("initialize returns a version that both know, and no session", async () => {
      const clientInfo = { name: "test", version: "1" };
      for (const [asked, answered] of [
        ["2025-06-18", "2025-06-18"],
        ["1999-01-01", "2025-11-25"],
      ]) {
        const reply = await rpc(gateway, "initialize", {
          protocolVersion: asked,
          capabilities: {},
          clientInfo,
        });
        expect(reply.body.result).toMatchObject({
          protocolVersion: answered,
          capabilities: { tools: {} },
          serverInfo: {
            name: "agent-petstore-gateway",
            title: expect.any(String),
            version,
          },
          instructions: expect.any(String),
        });
        expect(reply.headers.get("mcp-session-id")).toBeNull();
        expect(reply.headers.get("cache-control")).toBe("no-store");
      }
    });

    test("a body is limited in size, type and depth as in REST", async () => {
      const params = { name: "createPet", arguments: { name: "x".repeat(1_100_000), categoryId: 1 } };
      expectRestError(await rpc(gateway, "tools/call", params), "payload_too_large");
      const body = JSON.stringify(PING);
      for (const headers of [
        { "content-type": "text/plain" },
        { "content-type": "application/json; charset=latin1" },
      ])
        expectRestError(await gateway.rest("POST", "/mcp", { body, headers }), "invalid_content_type");
      const compressed = { headers: { "content-encoding": "gzip" }, body };
      expectRestError(await gateway.rest("POST", "/mcp", compressed), "unsupported_content_encoding");
      const deep = `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(70)}1${"}".repeat(70)}}`;
      expect((await gateway.rest("POST", "/mcp", { body: deep })).body.error.code).toBe(-32700);
    });

    test.each([
      ["createPet", {}, "name is required; categoryId is required"],
      [
        "createPet",
        { name: 1, categoryId: 1.5, surplus: 1, status: "lost" },
        "surplus is not known; name must be a string; categoryId must be a 64-bit integer (int64); status must be one of available, pending, sold",
      ],
      ["createPet", { name: "Rex", categoryId: 1, idempotencyKey: 1 }, "idempotencyKey must be a string"],
      ["listPets", { limit: "5", status: ["sold"] }, "limit must be a 32-bit integer"],
      ["listPets", { limit: 0 }, "limit must be at least 1"],
      ["listPets", { first: 5, __proto__x: 1 }, "first is not known; __proto__x is not known"],
      ["createPet", { name: "", categoryId: null }, "name must not be empty; categoryId is required"],
      ["listPets", { first: null, surplus: "" }, "first is not known; surplus is not known"],
      ["getPet", { petId: {} }, "petId must be a 64-bit integer (int64)"],
      ["getPet", {}, "petId is required"],
      ["getContact", { contactId: 7 }, "contactId must be a string"],
      ["whoami", { idempotencyKey: "x" }, "idempotencyKey is not known"],
      ["listEvents", { types: "message.sent" }, "types must be a list"],
      ["getConfigurationVersion", { version: "1" }, "version must be a 32-bit integer"],
    ])("%s with %j is a tool error that names the arguments", async (name, args, message) => {
      const reply = await callTool(gateway, name, args);
      expect(reply.status).toBe(200);
      expect(toolError(reply)).toEqual({
        code: "invalid_request",
        message: expect.stringContaining(message),
        status: 400,
      });
      expect(reply.body.result.structuredContent).toBeUndefined();
    });

    test.each([
      ["getPet", { petId: "99" }],
      ["getPet", { petId: "none" }],
      ["getPet", { petId: 1.5 }],
      ["getContact", { contactId: "none" }],
      ["getContact", { contactId: "" }],
      ["getConfigurationVersion", { version: 99 }],
    ])("%s with %j is not found", async (name, args) => {
      expect(toolError(await callTool(gateway, name, args))).toMatchObject({
        code: "not_found",
        status: 404,
      });
    });

    test("the log and the metrics contain the API, the tool and the error code", async () => {
      const { secret, hint } = await mint(gateway, { scopes: ["pets:read"] });
      const call = { token: secret, headers: { "x-request-id": "to-find-it" } };
      await callTool(gateway, "listPets", {}, call);
      await callTool(gateway, "createPet", {}, call);
      await callTool(gateway, "unknown-tool", {}, call);
      const lines = gateway
        .log()
        .split("\n")
        .filter((line) => line.includes('"to-find-it"'))
        .map((line) => JSON.parse(line));
      expect(lines).toMatchObject([
        { route: "/mcp", status: 200, tool: "listPets", key: hint },
        { route: "/mcp", status: 200, tool: "createPet", code: "insufficient_scope" },
        { route: "/mcp", status: 200, code: "invalid_request" },
      ]);
      expect([lines[0].code, lines[2].tool]).toEqual([undefined, undefined]);
      const { total, text } = await scrape(gateway);
      const requests = { api: "mcp", route: "/mcp", method: "POST", status: "200" };
      expect(total("gateway_http_requests_total", { ...requests, outcome: "insufficient_scope" })).toBe(1);
      expect(text).not.toContain("unknown-tool");
    });

    test("tool errors are in the error table", async () => {
      const error = toolError(await callTool(gateway, "listPets", { cursor: "x" }));
      expect(error).toEqual({ code: "invalid_cursor", ...ERRORS.invalid_cursor });
    });
  },
);

describeGateway({ engine: "one", env: { RATE_LIMIT_PER_MINUTE: "2" } }, (gateway) => {
  test("a key's rate limit counts its requests to all APIs", async () => {
    await gateway.rest("GET", "/agent/whoami");
    const { headers } = await rpc(gateway, "ping");
    expect(headers.get("ratelimit")).toContain("r=0");
    expectRestError(await callTool(gateway, "whoami"), "rate_limited");
  });
});
