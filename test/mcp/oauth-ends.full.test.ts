import { Permission } from "../../src/auth/permissions";
import { onEachEngine, type TestDatabase } from "../support/engines";
import { INSTANCE_KEY, operator, startGateway, type TestGateway } from "../support/gateway";
import {
  Application,
  ageUsedTokens,
  OAUTH_ENV,
  type StoredConnection,
  storeConnection,
} from "../support/oauth";

/** How often each way to end a connection is checked in each process, on each database. */
const ROUNDS = Number(process.env.ROUNDS ?? 1);

type Server = Pick<TestGateway, "url">;

/** The connection of a check, with a separate member and, if necessary, a separate agent. */
interface Subject extends StoredConnection {
  memberId: string;
  agentId: string | undefined;
}

onEachEngine((engine) => {
  let database: TestDatabase;
  /** Prepares the checks, and serves as one of the two servers. */
  let gateway: TestGateway;
  let server: TestGateway;
  let clientId: string;

  beforeAll(async () => {
    database = await engine.createMigratedDatabase();
    // Each check has its own address, because requests are limited by address.
    const env = { ...OAUTH_ENV, INSTANCE_KEY, TRUST_PROXY: "true", LOG_LEVEL: "error" };
    gateway = await startGateway(engine, { env, database });
    server = await startGateway(engine, { env, database, signInOwner: false });
    clientId = (await Application.register(gateway)).clientId;
  });
  afterAll(async () => {
    await gateway.close();
    await server.close();
    await database.drop();
  });

  let check = 0;
  /** Posts JSON or a form. */
  const send = async (server: Server, path: string, given: object | URLSearchParams, token?: string) => {
    const isForm = given instanceof URLSearchParams;
    const response = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers: {
        "x-forwarded-for": `10.0.${check >> 8}.${check & 255}`,
        "content-type": isForm ? "application/x-www-form-urlencoded" : "application/json",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: isForm ? given.toString() : JSON.stringify(given),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
  };
  const manage = async (server: Server, mutation: string) => {
    const { body } = await send(
      server,
      "/graphql",
      { query: `mutation { ${mutation} { __typename } }` },
      gateway.owner,
    );
    expect(body.errors).toBeUndefined();
  };
  const form = (fields: Record<string, string>) => new URLSearchParams({ ...fields, client_id: clientId });
  const refresh = (server: Server, token: string) =>
    send(server, "/oauth/token", form({ grant_type: "refresh_token", refresh_token: token }));
  const revoke = (server: Server, token: string) => send(server, "/oauth/revoke", form({ token }));
  const report = (server: Server, key: string) => send(server, "/leaked-keys", { key });

  const ENDS: [what: string, end: (server: Server, subject: Subject) => Promise<unknown>][] = [
    ["key", (server, { keyId }) => manage(server, `revokeApiKey(input: { id: "${keyId}" })`)],
    ["access token revoked", (server, { access }) => revoke(server, access)],
    ["refresh token revoked", (server, { refresh: token }) => revoke(server, token)],
    [
      "refresh token reused",
      async (server, { refresh: token, keyId }) => {
        expect((await refresh(server, token)).status).toBe(200);
        await ageUsedTokens(gateway, keyId, 31_000);
        expect((await refresh(server, token)).body.error).toBe("invalid_grant");
      },
    ],
    ["access token leaked", (server, { access }) => report(server, access)],
    ["refresh token leaked", (server, { refresh: token }) => report(server, token)],
    [
      "member removed",
      (server, { memberId }) => manage(server, `removeMember(input: { id: "${memberId}" })`),
    ],
    [
      "member demoted",
      (server, { memberId }) =>
        manage(server, `revokePermission(input: { memberId: "${memberId}", permission: config_manage })`),
    ],
    ["agent", (server, { agentId }) => manage(server, `deleteAgent(input: { id: "${agentId}" })`)],
    ["organization", (server) => manage(server, "deactivateOrganization")],
  ];

  const subjectOf = async (what: string): Promise<Subject> => {
    const { database: stored, members, agents } = gateway.services;
    const context = await operator(gateway);
    const organization = await gateway.services.organizations.bySlug("first");
    const { id: memberId } = await stored.write((tx) =>
      members.add(tx, context, {
        organizationId: organization.id,
        email: `${check}@example.com`,
        passwordHash: "",
        permissions: [Permission.config_manage],
      }),
    );
    const agent =
      what === "agent" ? await agents.create(context, { slug: `agent-${check}`, name: "Agent" }) : undefined;
    const connection = await storeConnection(gateway, {
      memberId,
      clientId,
      ...(agent && { agentId: agent.id }),
    });
    return { ...connection, memberId, agentId: agent?.id };
  };

  test("a connection that has ended in one process is rejected by the other from the next request on", async () => {
    const outcomes: Record<string, Record<string, number>> = {};
    const expected: typeof outcomes = {};
    for (; check < ENDS.length * 2 * ROUNDS; check++) {
      const [what, end] = ENDS[check % ENDS.length] as (typeof ENDS)[number];
      // For each way to end a connection, the two servers take turns.
      const isFirst = Math.floor(check / ENDS.length) % 2 === 0;
      const [ending, other] = isFirst ? [server, gateway] : [gateway, server];
      const subject = await subjectOf(what);
      const ping = async () => {
        const message = { jsonrpc: "2.0", id: 1, method: "ping" };
        const { status, body } = await send(other, "/mcp", message, subject.access);
        return `${status} ${body.code ?? "accepted"}`;
      };
      const before = await ping();
      await end(ending, subject);
      const after = [await ping(), (await refresh(other, subject.refresh)).body.error];
      if (what === "organization") await manage(ending, "reactivateOrganization");
      const seen = [before, ...after].join(", ");
      outcomes[what] = { ...outcomes[what], [seen]: (outcomes[what]?.[seen] ?? 0) + 1 };
      const code = what === "organization" ? "401 key_not_resolvable" : "401 invalid_api_key";
      const wanted = `200 accepted, ${code}, invalid_grant`;
      expected[what] = { [wanted]: (expected[what]?.[wanted] ?? 0) + 1 };
    }
    expect(outcomes).toEqual(expected);
  }, 300_000);
});
