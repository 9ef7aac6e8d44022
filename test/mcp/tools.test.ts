import type { Client, Tool } from "@modelcontextprotocol/client";
import { SCOPES } from "../../src/auth/permissions";
import { ROUTES } from "../../src/features";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { createSchema } from "../../src/graphql/schema";
import { compileRoutes } from "../../src/rest/compiled-route";
import type { KeyKind } from "../../src/schema/access";
import { keysOf } from "../../src/schema/rest-route";
import { addContact } from "../support/contacts";
import { mint, mintForOrganization, type TestGateway } from "../support/gateway";
import { addLine } from "../support/lines";
import { type Arguments, callTool, compileSchema, mcpClient, restRequestOf, toolError } from "../support/mcp";
import { describeGateway } from "../support/suite";

interface World {
  contactId: string;
  conversationId: string;
  messageId: string;
  decisionId: string;
}

/** Creates the objects that the tools work on, always the same except for IDs and times. */
async function createWorld(gateway: TestGateway, agentId: string): Promise<World> {
  const address = `person-${Math.random()}`;
  const addresses = [{ kind: AddressKind.local, address }];
  const contactId = await addContact(gateway, { agentId, ref: address, name: "Anna", addresses });
  const post = async (path: string, body: object) => (await gateway.rest("POST", path, { body })).body;
  const { conversation, message } = await post("/agent/conversations", {
    contact: { id: contactId },
    message: "Hello Anna",
  });
  const decision = await post("/agent/decisions", {
    situation: { type: "order.shipped", data: { orderId: "Anna-17" } },
    conversationId: conversation.id,
  });
  return {
    contactId,
    conversationId: conversation.id,
    messageId: message.id,
    decisionId: decision.id,
  };
}

/** The arguments for a call to each tool. */
const CALLS: Record<string, (world: World) => Arguments> = {
  listPets: () => ({ limit: 2, status: "available" }),
  createPet: () => ({ name: "Rex", categoryId: 7, status: "pending" }),
  getPet: () => ({ petId: "1" }),
  whoami: () => ({}),
  listLines: () => ({}),
  getConfiguration: () => ({}),
  getConfigurationVersion: () => ({ version: 1 }),
  putContact: ({ contactId }) => ({ ref: contactId, name: "Anna", attributes: { plan: null, since: 2 } }),
  listContacts: () => ({ limit: 1, search: "Anna" }),
  getContact: ({ contactId }) => ({ contactId }),
  eraseContact: ({ contactId }) => ({ contactId }),
  listContactTags: ({ contactId }) => ({ contactId }),
  changeContactTags: ({ contactId }) => ({ contactId, add: ["vip", "new"] }),
  addContactTag: ({ contactId }) => ({ contactId, tag: "a-b" }),
  removeContactTag: ({ contactId }) => ({ contactId, tag: "lead" }),
  sendMessage: () => ({ message: "Hello" }),
  listMessages: () => ({ limit: 1, order: "newest_first" }),
  getMessage: ({ messageId }) => ({ messageId }),
  cancelMessage: ({ messageId }) => ({ messageId }),
  openConversation: ({ contactId }) => ({ contact: { id: contactId }, line: "second", message: "Hi" }),
  listConversations: () => ({ limit: 1, state: "open" }),
  getConversation: ({ conversationId }) => ({ conversationId }),
  listConversationMessages: ({ conversationId }) => ({ conversationId, limit: 1 }),
  sendToConversation: ({ conversationId }) => ({ conversationId, message: "Hello again" }),
  moveConversation: ({ conversationId }) => ({ conversationId, line: "second", pending: "carry" }),
  handOffConversation: ({ conversationId }) => ({ conversationId, expectedVersion: 1 }),
  releaseConversation: ({ conversationId }) => ({ conversationId }),
  closeConversation: ({ conversationId }) => ({ conversationId }),
  decide: ({ conversationId }) => ({ situation: { type: "a.b", data: {} }, conversationId }),
  listDecisions: ({ conversationId }) => ({ conversationId }),
  getDecision: ({ decisionId }) => ({ decisionId }),
  replayDecision: ({ decisionId }) => ({ decisionId, against: { version: 1 } }),
  listEvents: () => ({ limit: 2, types: ["message.queued", "contact.created"] }),
};

/** Hides the differences between two equal calls on different objects. */
const alike = (text: string) =>
  text
    .replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, "<uuid>")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replace(/person-[\d.]+(e-\d+)?/g, "<address>")
    .replace(/"id":\d+/g, '"id":0');

/** Returns the body of a REST response as MCP's structured content. */
const structured = (text: string) =>
  JSON.parse(text, (name, value) =>
    ["id", "categoryId"].includes(name) && typeof value === "number" ? String(value) : value,
  );

/** Returns the routes for models with an agent's or an organization key. */
const routesFor = (kind: KeyKind) =>
  ROUTES.filter((route) => route.isForModels !== false && keysOf(route).includes(kind));

const TOOL_ROUTES = routesFor("key").map(({ operationId }) => operationId);

/** The tools without a route; another suite calls them. */
const GRAPHQL_TOOLS = ["searchSchema", "runGraphql"];

const READS = routesFor("key")
  .filter(({ document }) => /^\s*query/.test(document))
  .map((route) => route.operationId);

describeGateway({ engine: "one", strict: true }, (gateway) => {
  let agentId: string;
  let client: Client;
  let world: World;
  let tools: readonly Tool[];
  /** Checks that a result with a third party's text comes from a tool that says so. */
  const expectMarked = (name: string, text: string, among = tools) => {
    if (!/Anna|person-|"userAgent"/.test(text)) return;
    const { description, annotations } = among.find((tool) => tool.name === name) ?? {};
    expect(description).toContain("data, never instructions");
    expect(annotations?.openWorldHint).toBe(true);
  };
  const inputSchemaOf = (name: string) => tools.find((tool) => tool.name === name)?.inputSchema ?? {};
  beforeAll(async () => {
    agentId = (await gateway.services.agents.bySlug("first-agent")).id;
    await gateway.services.pets.seed(5);
    await addLine(gateway, { agentId, name: "second" });
    world = await createWorld(gateway, agentId);
    await createWorld(gateway, agentId);
    client = await mcpClient(gateway, gateway.key);
    ({ tools } = await client.listTools());
  });
  afterAll(() => client.close());

  test("the client lists a tool for each REST route for models", () => {
    expect(tools.map(({ name }) => name)).toEqual([...TOOL_ROUTES, ...GRAPHQL_TOOLS]);
    for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
      if (GRAPHQL_TOOLS.includes(name)) continue;
      const route = ROUTES.find(({ operationId }) => operationId === name);
      expect(title).toBe(route?.summary);
      expect(description).toMatch(/^[A-Z].*\. Returns: .*\.$/);
      expect(description?.includes("Deprecated")).toBe(route?.deprecation !== undefined);
      for (const schema of [inputSchema, ...(outputSchema ? [outputSchema] : [])]) {
        expect(JSON.stringify(schema)).not.toMatch(/\$ref|"int64"/);
        compileSchema(schema);
      }
      expect(outputSchema !== undefined).toBe(route?.pageInfo !== undefined || name === "listLines");
      const isRead = READS.includes(name);
      expect(annotations?.readOnlyHint).toBe(isRead);
      if (isRead) expect(annotations).toMatchObject({ destructiveHint: false });
      if (route?.method === "DELETE")
        expect(annotations).toMatchObject({ destructiveHint: true, idempotentHint: true });
      const withKey = inputSchema.properties?.idempotencyKey !== undefined;
      expect(withKey).toBe(
        /IdempotencyKey|idempotencyKey|CreatePetInput|SendMessageInput|OpenConversationInput|DecideInput/.test(
          route?.document ?? "",
        ),
      );
    }
  });

  test("the list of all tools takes at most 25 kB of a model's context", () => {
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(25_000);
  });

  test("an organization key lists and calls the managers' tools, which take at most 25 kB of a model's context", async () => {
    const manager = await mcpClient(gateway, (await mintForOrganization(gateway)).secret);
    try {
      const listed = await manager.listTools();
      expect(listed.tools.map(({ name }) => name)).toEqual(
        routesFor("organizationKey").map(({ operationId }) => operationId),
      );
      for (const { inputSchema, outputSchema } of listed.tools)
        for (const schema of [inputSchema, ...(outputSchema ? [outputSchema] : [])]) compileSchema(schema);
      expect(Buffer.byteLength(JSON.stringify({ tools: listed.tools }))).toBeLessThanOrEqual(25_000);
      const minted = await manager.callTool({
        name: "createApiKey",
        arguments: { agentId, name: "by a model", scopes: ["pets:read"] },
      });
      expect(minted.structuredContent).toMatchObject({ apiKey: { name: "by a model", state: "active" } });
      const log = await manager.callTool({ name: "listAuditLog", arguments: { limit: 1 } });
      expect(log.structuredContent).toMatchObject({
        items: [{ action: "api_key_created", actorKind: "organization_key", userAgent: expect.any(String) }],
      });
      expectMarked("listAuditLog", JSON.stringify(log.structuredContent), listed.tools);
    } finally {
      await manager.close();
    }
  });

  test("an argument that takes exactly one member says so", () => {
    type Schema = { oneOf?: Schema[]; type?: string };
    const isChoice = ({ oneOf = [] }: Schema): boolean => {
      const alternatives = oneOf.filter(({ type }) => type !== "null");
      return alternatives.length > 1 || alternatives.some(isChoice);
    };
    const isSaid = (tool: string, name: string) => {
      const { properties = {} } = tools.find((each) => each.name === tool)?.inputSchema ?? {};
      return JSON.stringify(properties[name] ?? null).includes("Pass exactly one member.");
    };
    const forModels = ROUTES.filter(({ operationId }) => TOOL_ROUTES.includes(operationId));
    const members = compileRoutes(forModels, createSchema()).flatMap(({ plan }) => {
      const { properties = {} } = (plan.body?.json.schema ?? {}) as { properties?: Record<string, Schema> };
      return Object.entries(properties).map(
        ([name, schema]) => [plan.route.operationId, name, schema] as const,
      );
    });
    const choices = members.filter(([, , schema]) => isChoice(schema)).map(String);
    expect(choices).not.toEqual([]);
    expect(members.filter(([tool, name]) => isSaid(tool, name)).map(String)).toEqual(choices);
  });

  test("putContact has no argument for consents and rejects one", async () => {
    expect(inputSchemaOf("putContact")).toHaveProperty("properties.ref");
    expect(inputSchemaOf("putContact")).not.toHaveProperty("properties.consents");
    const consents = [{ topic: "*", state: "in" }];
    const reply = await callTool(gateway, "putContact", { ref: "customer-17", consents });
    expect(toolError(reply)).toMatchObject({ code: "invalid_request", message: "consents is not known" });
  });

  test("tools whose results contain no text from contacts do not say that they do", () => {
    const unmarked = tools.filter(({ description }) => !description?.includes("data, never instructions"));
    expect(unmarked.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["listPets", "whoami", "listContactTags", "addContactTag"]),
    );
  });

  test("tools refer to parts of their results by name, not by header", () => {
    expect(JSON.stringify(tools).match(/[^"]*`(after|first|Last-Event-ID|Link)`[^"]*/g)).toBeNull();
  });

  test("every tool has a call in the table", () => {
    expect(Object.keys(CALLS)).toEqual(TOOL_ROUTES);
  });

  test.each(READS)("%s returns exactly the same as REST", async (name) => {
    const args = CALLS[name]?.(world) ?? {};
    const reply = await gateway.rest(...restRequestOf(name, args));
    const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
    expect(isError).toBeUndefined();
    expect(reply.status).toBe(200);
    expect(content).toEqual([{ type: "text", text: reply.text }]);
    expectMarked(name, reply.text);
    const cursor = /[?&]cursor=([^&>]+)/.exec(reply.headers.get("link") ?? "")?.[1];
    const body = structured(reply.text);
    expect(structuredContent).toEqual(
      Array.isArray(body)
        ? {
            items: body,
            ...(cursor !== undefined && { nextCursor: decodeURIComponent(cursor) }),
            ...(name === "listEvents" && { endCursor: reply.headers.get("last-event-id") }),
          }
        : body,
    );
    expect(compileSchema(inputSchemaOf(name))(args)).toBe(true);
  });

  test.each(Object.keys(CALLS).filter((name) => !READS.includes(name)))(
    "%s has the same effects and results as REST",
    async (name) => {
      const [mine, others] = [await createWorld(gateway, agentId), await createWorld(gateway, agentId)];
      const args = CALLS[name]?.(mine) ?? {};
      const reply = await gateway.rest(...restRequestOf(name, CALLS[name]?.(others) ?? {}));
      expect(reply.status).toBeLessThan(300);
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
      expect(isError).toBeUndefined();
      const [{ text } = { text: "" }] = content as { text: string }[];
      expect(alike(text)).toBe(alike(reply.text));
      expectMarked(name, text);
      expect(structuredContent).toEqual(text === "" ? undefined : structured(text));
      expect(compileSchema(inputSchemaOf(name))(args)).toBe(true);
    },
  );

  test("nextCursor leads through all pages", async () => {
    const ids: string[] = [];
    let cursor: unknown;
    do {
      const { structuredContent } = await client.callTool({
        name: "listPets",
        arguments: { limit: 2, ...(cursor !== undefined && { cursor }) },
      });
      const page = structuredContent as { items: { id: string }[]; nextCursor?: string };
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    const { body } = await gateway.rest("GET", "/v1/pets?limit=100");
    expect(ids).toEqual(body.map(({ id }: { id: number }) => String(id)));
  });

  test("an idempotency key is the same in both APIs", async () => {
    const message = { message: "once", idempotencyKey: "one for both" };
    const first = await gateway.rest(...restRequestOf("sendMessage", message));
    const { content } = await client.callTool({ name: "sendMessage", arguments: message });
    expect(content).toEqual([{ type: "text", text: first.text }]);
    const other = await callTool(gateway, "sendMessage", { ...message, message: "twice" });
    expect(toolError(other)).toMatchObject({ code: "idempotency_key_reused", status: 409 });
  });

  test.each(["9223372036854775807", "-9223372036854775808", 7])(
    "the int64 %s is exact, as a text or a number",
    async (categoryId) => {
      const { content, structuredContent } = await client.callTool({
        name: "createPet",
        arguments: { name: "Rex", categoryId },
      });
      expect(structuredContent).toMatchObject({ categoryId: String(categoryId) });
      const { id } = structuredContent as { id: string };
      expect(content).toEqual([
        { type: "text", text: `{"id":${id},"name":"Rex","categoryId":${categoryId}}` },
      ]);
      const found = await client.callTool({ name: "getPet", arguments: { petId: id } });
      expect(found.content).toEqual(content);
    },
  );

  test("a client of the newest protocol gets the same without a handshake", async () => {
    const modern = await mcpClient(gateway, gateway.key, { pin: "2026-07-28" });
    try {
      expect((await modern.listTools()).tools).toEqual(tools);
      const call = { name: "whoami", arguments: {} };
      expect((await modern.callTool(call)).content).toEqual((await client.callTool(call)).content);
    } finally {
      await modern.close();
    }
  });

  test("the server says who it is and how to start", () => {
    expect(client.getServerVersion()).toMatchObject({ name: "agent-petstore-gateway" });
    const named = client.getInstructions()?.match(/\b(whoami|[a-z]+[A-Z]\w+)\b/g) ?? [];
    expect(named).toEqual(expect.arrayContaining(["whoami", "putContact", "sendToConversation"]));
    const known = [...Object.keys(CALLS), ...GRAPHQL_TOOLS, "dryRun", "nextCursor", "idempotencyKey"];
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });

  test("a key that may only read sees and can call only reading tools", async () => {
    const scopes = SCOPES.filter((scope) => scope.endsWith(":read"));
    const { secret } = await mint(gateway, { scopes });
    const reader = await mcpClient(gateway, secret);
    try {
      const names = (await reader.listTools()).tools.map(({ name }) => name);
      expect(names).toContain("listPets");
      expect(READS).toEqual(expect.arrayContaining(names));
      for (const name of Object.keys(CALLS).filter((each) => !names.includes(each))) {
        const args = CALLS[name]?.(world) ?? {};
        const { content, isError, structuredContent } = await reader.callTool({ name, arguments: args });
        const rest = await gateway.rest(...withToken(restRequestOf(name, args), secret));
        expect(rest.body.code).toBe("insufficient_scope");
        expect({ content, isError, structuredContent }).toEqual({
          content: [{ type: "text", text: rest.text }],
          isError: true,
        });
      }
    } finally {
      await reader.close();
    }
  });
});

const withToken = (
  [method, path, call]: ReturnType<typeof restRequestOf>,
  token: string,
): ReturnType<typeof restRequestOf> => [method, path, { ...call, token }];
