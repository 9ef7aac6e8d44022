import { ApolloClient, ApolloLink, gql, InMemoryCache } from "@apollo/client";
import { GraphQLWsLink } from "@apollo/client/link/subscriptions";
import { createClient as createUrql, subscriptionExchange } from "@urql/core";
import { Permission } from "../../src/auth/permissions";
import { EXAMPLE } from "../../src/graphql/example";
import { MAX_REJECTIONS, MAX_SUBSCRIPTIONS } from "../../src/graphql/websocket/subscription-server";
import { MAX_MESSAGES_BEFORE_INIT } from "../../src/graphql/websocket/traffic-limit";
import { mint, operator, type TestGateway } from "../support/gateway";
import { scrape } from "../support/metrics";
import { addMember, addOrganization, firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";
import { FOLLOW, RawSocket, subscriptionClient } from "../support/web-socket";

const aliases = (count: number) => Array.from({ length: count }, (_, i) => `a${i}: id`).join(" ");

/** Deeper than recursive functions can follow, and small enough for a message. */
const nested = `{"a":${"[".repeat(30_000)}${"]".repeat(30_000)}}`;

const queue = (gateway: TestGateway, message: string) =>
  gateway.rest("POST", "/messages", { body: { message } });

const CORS_ORIGINS = "https://pages.example.com";

/** Converts an event from REST to GraphQL, whose enum values have no dots. */
const inGraphQL = (event: { type: string }) => ({ ...event, type: event.type.replace(".", "_") });

describeGateway({ engine: "one", env: { MAX_STREAMS: "50", CORS_ORIGINS } }, (gateway) => {
  const sockets: RawSocket[] = [];
  const keep = (socket: RawSocket) => {
    sockets.push(socket);
    return socket;
  };
  const connect = async (token = gateway.key) => keep(await RawSocket.connected(gateway, token));
  const openOnly = async (options?: ConstructorParameters<typeof RawSocket>[1]) => {
    const socket = keep(new RawSocket(gateway, options));
    await socket.opened();
    return socket;
  };
  afterEach(async () => {
    const open = sockets.splice(0);
    for (const { socket } of open) socket.terminate();
    await Promise.all(open.map((socket) => socket.end()));
  });

  test("a subscription gets each event as in the list, until it is completed", async () => {
    const socket = await connect();
    socket.subscribe("1", FOLLOW, { after: "0" });
    await queue(gateway, "one");
    const { body: list } = await gateway.rest("GET", "/agent/events?limit=100");
    await socket.until(() => socket.eventsOf("1").length >= list.length);
    expect(socket.eventsOf("1")).toEqual(list.map(inGraphQL));
    expect(gateway.services.liveEvents.open).toBe(1);
    socket.send({ type: "complete", id: "1" });
    await queue(gateway, "two");
    socket.subscribe("2", FOLLOW, { after: list.at(-1).position, types: ["message_queued"] });
    await socket.until(() => socket.eventsOf("2").length === 1);
    expect(socket.eventsOf("1")).toHaveLength(list.length);
    expect(gateway.services.liveEvents.open).toBe(1);
  });

  test("an ID may be reused while its stream is being opened, and every stream ends with its connection", async () => {
    const socket = await connect();
    for (let i = 0; i < 15; i++) {
      socket.subscribe("1", FOLLOW, { after: "0" });
      socket.send({ type: "complete", id: "1" });
    }
    socket.subscribe("1", FOLLOW, { after: "0" });
    await socket.until(() => socket.eventsOf("1").length > 0);
    await queue(gateway, "once");
    const { body: list } = await gateway.rest("GET", "/agent/events?limit=100");
    await socket.until(() => socket.eventsOf("1").length >= list.length);
    expect(socket.eventsOf("1")).toEqual(list.map(inGraphQL));
    expect(socket.messages.filter(({ id, type }) => id === "1" && type !== "next")).toEqual([]);
    await waitUntil(() => gateway.services.liveEvents.open === 1);
    for (let i = 0; i < 5; i++) socket.subscribe(`${i + 2}`);
    socket.socket.close();
    await socket.end();
    await waitUntil(() => gateway.services.liveEvents.open === 0);
  });

  test("a member with conversations:read names the agent", async () => {
    const agentId = await firstAgentId(gateway);
    const member = await addMember(gateway, { permissions: [Permission.conversations_read] });
    const socket = await connect(member.token);
    socket.subscribe("none", FOLLOW);
    socket.subscribe("ok", FOLLOW, { agentId, after: "0" });
    await socket.until(() => socket.eventsOf("ok").length > 0);
    expect(await socket.errorOf("none")).toBe("invalid_request");
  });

  test("a subscription without a position starts with the next event", async () => {
    const socket = await connect();
    socket.subscribe("1", FOLLOW);
    await waitUntil(() => gateway.services.liveEvents.open > 0);
    await queue(gateway, "next");
    await socket.until(() => socket.eventsOf("1").length > 0);
    const { body: list } = await gateway.rest("GET", "/agent/events?limit=100");
    expect(socket.eventsOf("1")).toEqual([inGraphQL(list.at(-1))]);
  });

  test("pages of other origins open no connection, unless CORS_ORIGINS names them", async () => {
    const foreign: Record<string, string>[] = [
      { origin: "https://evil.example.com" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
    ];
    for (const headers of foreign) {
      await expect(openOnly({ headers })).rejects.toThrow("Unexpected server response: 403");
    }
    for (const origin of [gateway.url, CORS_ORIGINS]) await openOnly({ headers: { origin } });
  });

  describe("a connection is closed", () => {
    const init = (payload: unknown) => ({ type: "connection_init", payload });
    test.each([
      ["without a credential", init(undefined), 4401, "unauthenticated"],
      ["with an empty payload", init({}), 4401, "unauthenticated"],
      ["with an unknown key", init({ Authorization: "Bearer agk_dev_none" }), 4401, "invalid_api_key"],
      ["with a key under another name", init({ token: "x" }), 4401, "unauthenticated"],
      ["with a credential that is not a text", init({ authorization: { a: 1 } }), 4401, "invalid_api_key"],
      ["with an impossible credential", init({ authorization: { toString: 1 } }), 4401, "invalid_api_key"],
      ["with a list of credentials", init({ Authorization: ["Bearer x"] }), 4401, "invalid_api_key"],
      ["with garbage", "garbage", 4400, "Invalid message"],
      ["with JSON that is not a message", "[1]", 4400, "Invalid message"],
      ["with an unknown type", { type: "start", id: "1" }, 4400, "Invalid message"],
      [
        "that subscribes first",
        { type: "subscribe", id: "1", payload: { query: FOLLOW } },
        4401,
        "Unauthorized",
      ],
      ["with a message for clients", { type: "next", id: "1", payload: {} }, 4400, "Invalid message"],
      [
        "with a message that is nested too deeply",
        `{"type":"ping","payload":${nested}}`,
        4400,
        "Invalid message",
      ],
      ["with a message that is too large", "x".repeat(65_537), 1009, ""],
    ])("%s", async (_, message, code, reason) => {
      const socket = await openOnly();
      socket.send(message);
      const closed = await socket.end();
      expect(closed).toEqual({ code, reason: expect.stringContaining(reason) });
    });

    test("with only a session cookie", async () => {
      const socket = await openOnly({ headers: { cookie: `gateway_session=${gateway.owner}` } });
      socket.send(init({}));
      expect(await socket.end()).toMatchObject({ code: 4401 });
    });

    test.each(["", "graphql-ws"])("with the subprotocol %j", async (protocol) => {
      const socket = keep(new RawSocket(gateway, { protocol }));
      expect((await socket.end()).code).toBe(protocol === "" ? 4406 : 1006);
    });

    test.each(["messages", "pings"])("that sends 21 %s before connection_init", async (kind) => {
      const socket = await openOnly();
      for (let i = 0; i <= MAX_MESSAGES_BEFORE_INIT; i++) {
        if (kind === "pings") socket.socket.ping();
        else socket.send({ type: "ping" });
      }
      expect(await socket.end()).toEqual({ code: 1013, reason: expect.stringMatching(/^rate_limited: /) });
    });

    test("but not if it sends 20 messages before connection_init", async () => {
      const socket = await openOnly();
      for (let i = 1; i < MAX_MESSAGES_BEFORE_INIT; i++) socket.send({ type: "ping" });
      socket.send(init({ Authorization: `Bearer ${gateway.key}` }));
      await socket.until(({ messages }) => messages.some(({ type }) => type === "connection_ack"));
    });

    test("with a revoked key", async () => {
      const key = await mint(gateway);
      await gateway.services.keys.revoke(await operator(gateway), key.id);
      const socket = await connect(key.secret);
      expect(await socket.end()).toEqual({ code: 4403, reason: expect.stringMatching(/^key_revoked: /) });
    });

    test("that sends a second connection_init", async () => {
      const socket = await connect();
      socket.send(init({ Authorization: `Bearer ${gateway.key}` }));
      expect(await socket.end()).toMatchObject({ code: 4429 });
    });

    test("that uses an ID twice, however long", async () => {
      const socket = await connect();
      const id = "1".repeat(200);
      socket.subscribe(id);
      socket.subscribe(id);
      expect(await socket.end()).toMatchObject({ code: 4409 });
    });

    test("whose key is revoked before it subscribes", async () => {
      const key = await mint(gateway);
      const socket = await connect(key.secret);
      await gateway.services.keys.revoke(await operator(gateway), key.id);
      socket.subscribe("1");
      expect(await socket.end()).toMatchObject({ code: 4403, reason: expect.stringMatching(/^key_revoked/) });
    });
  });

  test("rejected operations leave the memory for large HTTP responses free", async () => {
    const large = "{ messages(first: 100) { nodes { text subject proposedText quoted } } }";
    const socket = await connect();
    for (let id = 1; id <= 12; id++) socket.subscribe(`${id}`, large);
    await socket.until(({ messages }) => messages.filter(({ type }) => type === "error").length === 12);
    expect(await gateway.graphql(large)).toMatchObject({ status: 200, body: { data: { messages: {} } } });
  });

  test.each([
    ["a query", "{ whoami { agent { id } } }", "invalid_request"],
    ["a mutation", 'mutation { sendMessage(input: { text: "by socket" }) { id } }', "invalid_request"],
    ["no document", "", "invalid_request"],
    ["a document that does not parse", "subscription {", "graphql_parse_failed"],
    ["an unknown field", "subscription { nothing { id } }", "graphql_validation_failed"],
    ["two root fields", "subscription { events { id } other: events { id } }", "graphql_validation_failed"],
    [
      "a document that is too long",
      `subscription { events { id } } #${"x".repeat(30_000)}`,
      "query_too_complex",
    ],
    [
      "too many fields",
      // Including `events` itself.
      `subscription { events { ${aliases(50)} } }`,
      "query_too_complex",
    ],
    [
      "too many levels",
      `subscription { events { id ${"... { ".repeat(30)}id${" }".repeat(30)} } }`,
      "query_too_complex",
    ],
    [
      "a field of an agent that needs a separate scope",
      "subscription { events { agent { conversations { nodes { id } } } } }",
      "invalid_request",
    ],
    ["an invalid position", 'subscription { events(after: "x") { id } }', "invalid_cursor"],
    ["a position from the future", 'subscription { events(after: "999999") { id } }', "invalid_cursor"],
    ["no type", "subscription { events(types: []) { id } }", "invalid_request"],
    [
      "a variable of a wrong type",
      "subscription ($a: String!) { events(after: $a) { id } }",
      "invalid_request",
    ],
  ])("%s is rejected, and the connection stays open", async (_, query, code) => {
    const socket = await connect();
    socket.subscribe("rejected", query);
    expect(await socket.errorOf("rejected")).toBe(code);
    socket.subscribe("ok", FOLLOW, { after: "0" });
    await socket.until(() => socket.eventsOf("ok").length > 0);
    expect(gateway.services.liveEvents.open).toBe(1);
  });

  test("a subscription may select 50 fields", async () => {
    const socket = await connect();
    socket.subscribe("1", `subscription { events(after: "0") { ${aliases(49)} } }`);
    await socket.until(() => socket.eventsOf("1").length > 0);
    expect(Object.keys(socket.messages.find(({ id }) => id === "1")?.payload.data.events)).toHaveLength(49);
  });

  test("subscriptions that share results get each event in order, with their own IDs", async () => {
    const [one, other] = [await connect(), await connect()];
    const ids = ["1", "2", "3", 'a "quoted" id'];
    for (const socket of [one, other]) for (const id of ids) socket.subscribe(id, FOLLOW, { after: "0" });
    for (let i = 0; i < 5; i++) await queue(gateway, `shared ${i}`);
    const { body: list } = await gateway.rest("GET", "/agent/events?limit=100");
    for (const socket of [one, other]) {
      await socket.until(() => ids.every((id) => socket.eventsOf(id).length >= list.length));
      for (const id of ids) expect(socket.eventsOf(id)).toEqual(list.map(inGraphQL));
    }
  });

  test.each([
    ["documents that are not valid", "subscription { nothing { id } }"],
    ["positions that no event has had", 'subscription { events(after: "x") { id } }'],
    ["queries", "{ whoami { agent { id } } }"],
  ])("a connection that keeps sending rejected %s is closed and can try again later", async (_, query) => {
    const socket = await connect();
    for (let i = 0; i < MAX_REJECTIONS; i++) {
      socket.subscribe(`${i}`, query);
      if (i < MAX_REJECTIONS - 1) await socket.errorOf(`${i}`);
    }
    expect(await socket.end()).toEqual({ code: 1013, reason: expect.stringMatching(/^rate_limited: /) });
  });

  test("a flood of subscriptions is cut off, and most of them are not examined", async () => {
    const socket = await connect();
    for (let i = 0; i < 5_000; i++) socket.subscribe(`${i}`, "subscription {");
    expect(await socket.end()).toMatchObject({ code: 1013 });
    const rejected = socket.messages.filter(({ type }) => type === "error");
    expect(rejected.length).toBeLessThanOrEqual(MAX_REJECTIONS);
  });

  test("opened connections and subscriptions count towards the key's rate limit", async () => {
    const { secret } = await mint(gateway, { rateLimitPerMinute: 4 });
    const socket = await connect(secret);
    for (const id of ["1", "2", "3"]) {
      socket.subscribe(id, FOLLOW, { after: "0" });
      await socket.until(() => socket.eventsOf(id).length > 0);
      socket.send({ type: "complete", id });
    }
    socket.subscribe("4");
    expect(await socket.errorOf("4")).toBe("rate_limited");
    const other = await connect(secret);
    expect(await other.end()).toEqual({ code: 1013, reason: expect.stringMatching(/^rate_limited: /) });
  });

  test("a key without the scope is told which one it lacks", async () => {
    const { secret } = await mint(gateway, { scopes: ["pets:read"] });
    const socket = await connect(secret);
    socket.subscribe("1");
    expect(await socket.errorOf("1")).toBe("insufficient_scope");
  });

  test("a connection has a limit of subscriptions, and an organization one of streams", async () => {
    const one = await connect();
    const other = await connect((await mint(gateway)).secret);
    for (let i = 0; i <= MAX_SUBSCRIPTIONS; i++) one.subscribe(`${i}`, FOLLOW, { after: "0" });
    const has = (socket: RawSocket, id: number) => socket.eventsOf(`${id}`).length > 0;
    for (let i = 0; i < MAX_SUBSCRIPTIONS; i++) await one.until(() => has(one, i));
    expect(await one.errorOf(`${MAX_SUBSCRIPTIONS}`)).toBe("limit_reached");
    // Half of MAX_STREAMS.
    for (let i = 0; i < 5; i++) {
      other.subscribe(`${i}`, FOLLOW, { after: "0" });
      await other.until(() => has(other, i));
    }
    other.subscribe("rejected");
    expect(await other.errorOf("rejected")).toBe("rate_limited");
    expect(gateway.services.liveEvents.open).toBe(25);
    const rejected = await gateway.rest("GET", "/agent/events", { headers: { accept: "text/event-stream" } });
    expect([rejected.status, rejected.body.code]).toEqual([429, "rate_limited"]);
    await addOrganization(gateway, "modest");
    const modest = await connect((await mint(gateway, { agent: "modest-agent" })).secret);
    modest.subscribe("1");
    await waitUntil(() => gateway.services.liveEvents.open === 26);
  });

  test("a subscription over HTTP is rejected with an alternative", async () => {
    const { status, body } = await gateway.graphql("subscription { events { id } }");
    expect(status).toBe(400);
    expect(body.errors[0]).toMatchObject({
      message: expect.stringMatching(/WebSocket.*graphql-transport-ws.*\/agent\/events/),
      extensions: { code: "invalid_request" },
    });
  });

  test("open streams and sent events are counted", async () => {
    const socket = await connect();
    socket.subscribe("1", FOLLOW, { after: "0" });
    await socket.until(() => socket.eventsOf("1").length > 0);
    const { total } = await scrape(gateway);
    expect(total("gateway_event_streams")).toBe(1);
    expect(total("gateway_events_sent_total")).toBeGreaterThan(0);
    expect(
      total("gateway_graphql_operations_total", { type: "subscription", outcome: "ok" }),
    ).toBeGreaterThan(0);
    expect(total("gateway_http_requests_total", { route: "/graphql", status: "101" })).toBeGreaterThan(0);
    // The request for the metrics.
    expect(total("gateway_http_requests_in_flight")).toBe(1);
  });

  describe("a client library follows", () => {
    const query = FOLLOW;
    const variables = { after: "0" };

    test("graphql-ws", async () => {
      const client = subscriptionClient(gateway, gateway.key);
      const results = client.iterate({ query, variables });
      expect((await results.next()).value).toMatchObject({ data: { events: { position: "1" } } });
      await results.return?.();
      await client.dispose();
    });

    test("Apollo Client", async () => {
      const socket = subscriptionClient(gateway, gateway.key);
      const client = new ApolloClient({
        link: ApolloLink.from([new GraphQLWsLink(socket)]),
        cache: new InMemoryCache(),
      });
      const first = await new Promise((resolve, reject) => {
        const stop = client.subscribe({ query: gql(query), variables }).subscribe({
          next: ({ data }) => {
            stop.unsubscribe();
            resolve(data);
          },
          error: reject,
        });
      });
      expect(first).toMatchObject({ events: { position: "1" } });
      client.stop();
      await socket.dispose();
    });

    test("urql", async () => {
      const socket = subscriptionClient(gateway, gateway.key);
      const client = createUrql({
        url: `${gateway.url}/graphql`,
        preferGetMethod: false,
        exchanges: [
          subscriptionExchange({
            forwardSubscription: (request) => ({
              subscribe: (sink) => ({
                unsubscribe: socket.subscribe({ ...request, query: request.query ?? "" }, sink),
              }),
            }),
          }),
        ],
      });
      const first = await new Promise((resolve) => {
        const stop = client.subscription(query, variables).subscribe((result) => {
          setImmediate(() => stop.unsubscribe());
          resolve(result.error ?? result.data);
        });
      });
      expect(first).toMatchObject({ events: { position: "1" } });
      await socket.dispose();
    });

    test("Sandbox, which sends its headers as the payload, with its example", async () => {
      const socket = await openOnly();
      socket.send({ type: "connection_init", payload: { Authorization: `Bearer ${gateway.key}` } });
      await socket.until(({ messages }) => messages.length === 1);
      const payload = { query: EXAMPLE, operationName: "FollowEvents", variables: {} };
      socket.send({ type: "subscribe", id: "1", payload });
      await waitUntil(() => gateway.services.liveEvents.open > 0);
      await queue(gateway, "for Sandbox");
      await socket.until(() => socket.eventsOf("1").length > 0);
    });
  });
});
