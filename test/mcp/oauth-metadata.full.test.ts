import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { timestamp } from "../../src/common/time";
import { OAuthRecord, recordHash } from "../../src/features/oauth/oauth-record.entity";
import { rpc } from "../support/mcp";
import { Application, OAUTH_BASE, OAUTH_ENV, postForm, secret, storeConnection } from "../support/oauth";
import { addMember } from "../support/people";
import { certificateFor, Receiver } from "../support/receiver";
import { describeGateway } from "../support/suite";

const HOST = "application.test";
const CALLBACK = "http://localhost:51212/callback";

describeGateway({ engine: "any", env: { ...OAUTH_ENV, ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" } }, (gateway) => {
  let receiver: Receiver;
  let clientId: string;
  let document: Record<string, unknown>;
  const addresses: Record<string, string> = { [HOST]: "127.0.0.1", "private.test": "10.0.0.1" };

  beforeAll(async () => {
    const certificate = await certificateFor(HOST);
    receiver = await Receiver.start(certificate);
    clientId = `${receiver.url(HOST)}client.json`;
    // The gateway finds the test's host and trusts its certificate.
    const targets = gateway.services.targets as unknown as {
      options: object;
      agents: { "https:": { options: { ca: string } } };
    };
    targets.agents["https:"].options.ca = certificate.cert;
    Object.assign(targets.options, {
      lookup: async (host: string) => [{ address: addresses[host] ?? "192.0.2.1", family: 4 }],
    });
  });
  afterAll(() => receiver.close());
  beforeEach(() => {
    document = {
      client_id: clientId,
      client_name: "Assistant",
      client_uri: "https://claude.ai",
      redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback"],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
    receiver.reaction = (response) => response.end(JSON.stringify(document));
  });

  /** Authorizes with a metadata document, and returns the status; 303 if the member is asked. */
  const statusOf = async (id: string, redirectUri = CALLBACK) => {
    const application = new Application(gateway, id, redirectUri);
    return (await fetch(application.authorizeUrl(), { redirect: "manual" })).status;
  };
  let count = 0;
  /** Adds another document to the same server, because documents are cached. */
  const another = (changes: Record<string, unknown> = {}) => {
    count++;
    const id = clientId.replace("client", `client-${count}`);
    document = { ...document, client_id: id, ...changes };
    return id;
  };
  /** Redeems an application's code without its consent. */
  const redeem = async (id: string) => {
    const code = secret();
    const record = {
      hash: recordHash("AuthorizationCode", code),
      kind: "AuthorizationCode",
      payload: JSON.stringify({ clientId: id }),
      expiresAt: timestamp(60_000),
    };
    await gateway.services.database.write((tx) => tx.insert(OAuthRecord, record));
    return new Application(gateway, id, CALLBACK).exchange(code);
  };

  test("an application with a metadata document connects, with any port of the loopback interface", async () => {
    const application = new Application(gateway, clientId, CALLBACK);
    const requestId = await application.start();
    const { body } = await gateway.graphql(
      "query ($id: ID!) { connectionRequest(id: $id) { name host redirectUri } }",
      { id: requestId },
      { token: gateway.owner },
    );
    expect(body.data.connectionRequest).toEqual({
      name: "Assistant",
      host: new URL(clientId).host,
      redirectUri: CALLBACK,
    });
    const consent = await application.consent(requestId);
    const answer = await application.finish(consent.body.data.connectApplication.redirectUrl);
    const tokens = (await application.exchange(answer.get("code") ?? "")).body;
    expect((await rpc(gateway, "ping", {}, { token: tokens.access_token })).status).toBe(200);
    const refreshed = (await application.refresh(tokens.refresh_token)).body;
    expect((await rpc(gateway, "ping", {}, { token: refreshed.access_token })).status).toBe(200);
  });

  test.each<[string, (id: string) => void, Record<string, unknown>?]>([
    ["names another application", () => undefined, { client_id: "https://other.example.com/" }],
    ["lists no redirects", () => undefined, { redirect_uris: [] }],
    ["lists only another redirect", () => undefined, { redirect_uris: ["https://application.test/cb"] }],
    ["lists a redirect to a script", () => undefined, { redirect_uris: ["javascript:alert(1)"] }],
    ["is too large", () => undefined, { client_name: "x".repeat(6_000) }],
    [
      "is not JSON",
      () => {
        receiver.reaction = (response) => response.end("<html>");
      },
    ],
    [
      "is missing",
      () => {
        receiver.reaction = (response) => response.writeHead(404).end(JSON.stringify(document));
      },
    ],
    [
      "is elsewhere",
      (id) => {
        receiver.reaction = (response, { url }) =>
          url === "/moved"
            ? response.end(JSON.stringify(document))
            : response.writeHead(302, { location: new URL("/moved", id).href }).end();
      },
    ],
  ])("a metadata document that %s is rejected", async (_, react, changes = {}) => {
    const id = another(changes);
    react(id);
    expect(await statusOf(id)).toBe(400);
  });

  test("a client ID of more than 500 characters is rejected before the member is asked", async () => {
    for (const [length, status] of [
      [500, 303],
      [501, 400],
    ] as const) {
      const id = another().padEnd(length, "x");
      document = { ...document, client_id: id };
      expect(await statusOf(id)).toBe(status);
    }
  });

  test("metadata at a private address is not requested", async () => {
    const before = receiver.connections;
    expect(await statusOf("https://private.test/client.json")).toBe(400);
    expect(receiver.connections).toBe(before);
  });

  test("requests for tokens read a document only for a code of its application", async () => {
    const { id: memberId } = await addMember(gateway, { manage: true });
    const mine = another();
    const { access, refresh } = await storeConnection(gateway, { memberId, clientId: mine });
    const strangers = another();
    const before = receiver.received.length;
    const attempts = (client: string, token: string) =>
      [
        {
          path: "/oauth/token",
          form: { grant_type: "authorization_code", code: token, code_verifier: token },
        },
        { path: "/oauth/token", form: { grant_type: "refresh_token", refresh_token: token } },
        { path: "/oauth/revoke", form: { token, token_type_hint: "access_token" } },
      ].map(({ path, form }) => postForm(gateway, path, { ...form, client_id: client }));
    const unknown = [...attempts(strangers, refresh), ...attempts(strangers, access), ...attempts(mine, "x")];
    const errors = (await Promise.all(unknown)).map(({ body }) => body.error);
    const each = ["invalid_grant", "invalid_grant", "invalid_client"];
    expect(errors).toEqual([...each, ...each, ...each]);
    expect(receiver.received.length).toBe(before);
    document = { ...document, client_id: mine };
    expect((await redeem(mine)).body.error).toBe("invalid_grant");
    expect(receiver.received.length).toBe(before + 1);
  });

  test("a connection is refreshed and revoked, but not made, while its document cannot be read", async () => {
    receiver.reaction = (response) => response.writeHead(404).end();
    const { id: memberId } = await addMember(gateway, { manage: true });
    const id = another();
    const { refresh } = await storeConnection(gateway, { memberId, clientId: id });
    const application = new Application(gateway, id, CALLBACK);
    const refreshed = await application.refresh(refresh);
    expect(refreshed.status).toBe(200);
    const { access_token: token, refresh_token: next } = refreshed.body;
    const ping = async () => (await rpc(gateway, "ping", {}, { token })).status;
    expect(await ping()).toBe(200);
    expect(await statusOf(id)).toBe(400);
    expect((await application.revoke(next)).status).toBe(200);
    expect(await ping()).toBe(401);
  });

  test("nothing that a document states leads to further requests", async () => {
    const id = another({
      jwks_uri: `${receiver.url(HOST)}jwks`,
      sector_identifier_uri: `${receiver.url(HOST)}sector`,
      logo_uri: `${receiver.url(HOST)}logo`,
      backchannel_logout_uri: `${receiver.url(HOST)}logout`,
      token_endpoint_auth_method: "private_key_jwt",
    });
    const before = receiver.received.length;
    expect(await statusOf(id)).toBe(303);
    expect(receiver.received.slice(before).map(({ url }) => url)).toEqual([new URL(id).pathname]);
  });

  test("the official client finds the server, registers, connects and refreshes", async () => {
    (require("zod") as typeof import("zod")).config({ jitless: true });
    const { auth, Client, StreamableHTTPClientTransport }: typeof import("@modelcontextprotocol/client") =
      require("@modelcontextprotocol/client");
    const stored: Record<string, unknown> = {};
    const keep = (values: object) => {
      Object.assign(stored, values);
    };
    const provider: OAuthClientProvider = {
      redirectUrl: CALLBACK,
      clientMetadata: { client_name: "Official client", redirect_uris: [CALLBACK] },
      state: () => "a state",
      clientInformation: () => stored.client as never,
      saveClientInformation: (client) => keep({ client }),
      tokens: () => stored.tokens as never,
      saveTokens: (tokens) => keep({ tokens }),
      redirectToAuthorization: (asked) => keep({ asked }),
      saveCodeVerifier: (verifier) => keep({ verifier }),
      codeVerifier: () => String(stored.verifier),
      saveDiscoveryState: (discovery) => keep({ discovery }),
      discoveryState: () => stored.discovery as never,
    };
    const serverUrl = `${OAUTH_BASE}/mcp`;
    const fetchFn = (url: string | URL, init?: RequestInit) =>
      fetch(String(url).replace(OAUTH_BASE, gateway.url), init);
    expect(await auth(provider, { serverUrl, fetchFn })).toBe("REDIRECT");
    const { client_id: id } = stored.client as { client_id: string };
    const browser = new Application(gateway, id, CALLBACK);
    const to = await browser.browser.follow(
      String(stored.asked).replace(OAUTH_BASE, gateway.url),
      `${gateway.url}/dashboard/connect/`,
    );
    const consent = await browser.consent(to.slice(to.lastIndexOf("/") + 1));
    const answer = await browser.finish(consent.body.data.connectApplication.redirectUrl);
    const authorizationCode = answer.get("code") ?? "";
    const iss = answer.get("iss") ?? "";
    expect(await auth(provider, { serverUrl, fetchFn, authorizationCode, iss })).toBe("AUTHORIZED");

    const client = new Client({ name: "test", version: "1" });
    const transport = new StreamableHTTPClientTransport(new URL(serverUrl), {
      authProvider: provider,
      fetch: fetchFn,
    });
    await client.connect(transport);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("whoami");
    const { access_token: first } = stored.tokens as { access_token: string };
    expect(await auth(provider, { serverUrl, fetchFn })).toBe("AUTHORIZED");
    expect((stored.tokens as { access_token: string }).access_token).not.toBe(first);
    await client.close();
  });

  test("an address causes a limited number of documents to be read, each once per request, and can redeem codes later", async () => {
    receiver.reaction = (response) => response.writeHead(404).end();
    const start = receiver.received.length;
    expect(await statusOf(another())).toBe(400);
    expect(receiver.received.length).toBe(start + 1);
    for (let i = 0; i < 40; i++) expect(await statusOf(another())).toBe(400);
    const read = receiver.received.length - start;
    expect(read).toBeGreaterThan(1);
    expect(read).toBeLessThanOrEqual(30);
    const { status, body } = await redeem(another());
    expect([status, body.error]).toEqual([429, "temporarily_unavailable"]);
  });
});
