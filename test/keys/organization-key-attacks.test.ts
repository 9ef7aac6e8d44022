import { crc32 } from "node:zlib";
import { timestamp } from "../../src/common/time";
import { toBase62 } from "../../src/credentials/base62";
import { ApiKey } from "../../src/features/api-keys/api-key.entity";
import { addContact } from "../support/contacts";
import { mint, mintForOrganization, operator, type Reply } from "../support/gateway";
import { expire } from "../support/keys";
import { PUBLIC_URL } from "../support/lines";
import { callTool, toolError } from "../support/mcp";
import { addMember, addOrganization, codeOf } from "../support/people";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";
import { outcomeBySocket } from "../support/web-socket";

const DAY_MS = 86_400_000;
const NETWORKS = ["127.0.0.0/8"];
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);

describeGateway({ engine: "any" }, (gateway) => {
  /** The key that tries to extend its rights. */
  let key: { id: string; secret: string };
  /** A key with more access, usable from anywhere. */
  let wide: { id: string; secret: string };
  let ids: Record<string, string>;

  beforeAll(async () => {
    const { services } = gateway;
    const expiresAt = inDays(30);
    key = await mintForOrganization(gateway, {
      name: "attacker",
      scopes: ["keys:manage", "members:read"],
      allowedNetworks: NETWORKS,
      expiresAt,
      rateLimitPerMinute: 10_000,
    });
    wide = await mintForOrganization(gateway, {
      scopes: ["keys:manage", "members:read"],
      expiresAt: inDays(300),
    });
    await services.keys.update(await operator(gateway), { id: wide.id, allowedNetworks: null });
    const other = await addOrganization(gateway, "other");
    const { id: agentId } = await services.agents.bySlug("first-agent");
    const successor = await services.keys.rotate(await operator(gateway), {
      id: (await mintForOrganization(gateway, { scopes: ["members:read"], expiresAt, rateLimitPerMinute: 1 }))
        .id,
      graceSeconds: 3600,
    });
    const revoked = await mintForOrganization(gateway, { scopes: ["members:read"] });
    await services.keys.revoke(await operator(gateway), revoked.id);
    const member = await addMember(gateway);
    ids = {
      agentId,
      memberId: member.id,
      contactId: await addContact(gateway, { agentId }),
      otherAgentId: other.agentId,
      otherKeyId: (await mint(gateway, { agent: "other-agent" })).id,
      otherOrganizationKeyId: (await mintForOrganization(gateway, { org: "other" })).id,
      agentKeyId: (await mint(gateway, { allowedNetworks: ["192.0.2.0/24"], rateLimitPerMinute: 5 })).id,
      ...Object.fromEntries(
        await Promise.all(
          Object.entries<Parameters<typeof mint>[1]>({
            fullId: { scopes: null },
            widerId: { allowedNetworks: [...NETWORKS, "10.0.0.0/8"] },
            anywhereId: { allowedNetworks: null },
            laterId: { expiresAt: inDays(31) },
            endlessId: { expiresAt: null },
            fasterId: { rateLimitPerMinute: 10_001 },
            unlimitedId: { rateLimitPerMinute: null },
          }).map(async ([name, more]) => {
            const within = {
              scopes: ["pets:read" as const],
              allowedNetworks: NETWORKS,
              expiresAt,
              rateLimitPerMinute: 1,
            };
            return [name, (await mint(gateway, { ...within, ...more })).id];
          }),
        ),
      ),
      allScopesId: (await mintForOrganization(gateway)).id,
      successorId: successor.apiKey.id,
      revokedId: revoked.id,
    };
  });

  const ask = (document: string, variables: object = {}, token = key.secret): Promise<Reply> =>
    gateway.graphql(document, { ...ids, ...variables }, { token });
  const attempt =
    (document: string, variables: object = {}) =>
    (): Promise<Reply> =>
      ask(document, variables);
  const field = (selection: string) => attempt(`{ ${selection} }`);

  const ORGANIZATION_KEY =
    "mutation ($input: CreateOrganizationKeyInput!) { createOrganizationKey(input: $input) { secret } }";
  const AGENT_KEY = "mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }";
  const mintsOrganizationKey = (input: object) =>
    attempt(ORGANIZATION_KEY, { input: { name: "more", scopes: ["members_read"], ...input } });
  const mintsAgentKey = (input: object) => () =>
    ask(AGENT_KEY, { input: { name: "more", agentId: ids.agentId, scopes: ["pets_read"], ...input } });
  /** @param which `own`, or a name in `ids` */
  const changes = (which: string, change: object) => () =>
    ask("mutation ($input: UpdateApiKeyInput!) { updateApiKey(input: $input) { id } }", {
      input: { id: which === "own" ? key.id : ids[which], ...change },
    });
  const rotates = (which: string) =>
    attempt(`mutation ($${which}: ID!) { rotateApiKey(input: { id: $${which} }) { secret } }`);
  const revokes = (which: string, more = "") =>
    attempt(`mutation ($${which}: ID!) { revokeApiKey(input: { id: $${which} ${more} }) { id } }`);
  const withAgent = (selection: string, type = "query") =>
    attempt(`${type} ($agentId: ID!) { ${selection} }`);
  const onMember = (selection: string) => attempt(`mutation ($memberId: ID!) { ${selection} }`);
  const rest = (method: string, path: string, body?: object) => (): Promise<Reply> =>
    gateway.rest(method, path, { token: key.secret, body });

  const ATTEMPTS: Record<string, () => Promise<Reply>> = {
    "mint a scope that it lacks": mintsOrganizationKey({ scopes: ["audit_read"] }),
    "mint a scope that it lacks next to its own": mintsOrganizationKey({
      scopes: ["keys_manage", "agents_manage"],
    }),
    "mint a scope of agents": mintsOrganizationKey({ scopes: ["conversations_read"] }),
    "mint without scopes": mintsOrganizationKey({ scopes: [] }),
    "mint for any IPv4 address": mintsOrganizationKey({ allowedNetworks: ["0.0.0.0/0"] }),
    "mint for any IPv6 address": mintsOrganizationKey({ allowedNetworks: ["::/0"] }),
    "mint for a network that encloses its own": mintsOrganizationKey({ allowedNetworks: ["126.0.0.0/7"] }),
    "mint for a network next to its own": mintsOrganizationKey({
      allowedNetworks: [...NETWORKS, "10.0.0.0/8"],
    }),
    "mint for mapped addresses": mintsOrganizationKey({ allowedNetworks: ["::ffff:0.0.0.0/96"] }),
    "mint for longer": mintsOrganizationKey({ expiresAt: inDays(31) }),
    "mint until the year 9999": mintsOrganizationKey({ expiresAt: "9999-01-01T00:00:00Z" }),
    "mint a higher rate limit": mintsOrganizationKey({ rateLimitPerMinute: 10_001 }),
    "mint an agent's key with all scopes": mintsAgentKey({ scopes: null }),
    "mint an agent's key for longer": mintsAgentKey({ expiresAt: inDays(31) }),
    "mint an agent's key for any address": mintsAgentKey({ allowedNetworks: ["0.0.0.0/0"] }),
    "mint an agent's key with a higher rate limit": mintsAgentKey({ rateLimitPerMinute: 10_001 }),
    "mint an agent's key with its own scopes": mintsAgentKey({ scopes: ["keys_manage"] }),
    "mint for another organization's agent": () =>
      ask(AGENT_KEY, { input: { name: "more", agentId: ids.otherAgentId, scopes: ["pets_read"] } }),
    "mint for no agent": mintsAgentKey({ agentId: "" }),
    "rotate a key with more scopes": rotates("allScopesId"),
    "rotate a key for more networks": () =>
      ask("mutation ($id: ID!) { rotateApiKey(input: { id: $id }) { secret } }", { id: wide.id }),
    "rotate a revoked key": rotates("revokedId"),
    "rotate an agent's key with all scopes": rotates("fullId"),
    "rotate an agent's key for more networks": rotates("widerId"),
    "rotate an agent's key for any address": rotates("anywhereId"),
    "rotate an agent's key that expires later": rotates("laterId"),
    "rotate an agent's key that never expires": rotates("endlessId"),
    "rotate an agent's key with a higher rate limit": rotates("fasterId"),
    "rotate an agent's key without a rate limit": rotates("unlimitedId"),
    "rotate an agent's key by REST": () => rest("POST", `/organization/api-keys/${ids.fullId}/rotate`, {})(),
    "rotate another organization's key": rotates("otherOrganizationKeyId"),
    "rotate another organization's agent's key": rotates("otherKeyId"),
    "revoke another organization's key": revokes("otherOrganizationKeyId"),
    "undo a rotation": revokes("successorId", "keepReplaced: true"),
    "allow any network for itself": changes("own", { allowedNetworks: null }),
    "allow no network for itself": changes("own", { allowedNetworks: [] }),
    "allow more networks for itself": changes("own", { allowedNetworks: ["127.0.0.0/8", "::1/128"] }),
    "lift its rate limit": changes("own", { rateLimitPerMinute: null }),
    "raise its rate limit": changes("own", { rateLimitPerMinute: 20_000 }),
    "allow more networks for an agent's key": changes("agentKeyId", { allowedNetworks: ["192.0.0.0/8"] }),
    "allow any network for an agent's key": changes("agentKeyId", { allowedNetworks: null }),
    "raise the rate limit of an agent's key": changes("agentKeyId", { rateLimitPerMinute: 6 }),
    "change another organization's key": changes("otherKeyId", { description: "mine" }),
    "grant a permission": onMember(
      "grantPermission(input: { memberId: $memberId, permission: config_manage }) { id }",
    ),
    "revoke a permission": onMember(
      "revokePermission(input: { memberId: $memberId, permission: config_manage }) { id }",
    ),
    "change permissions": onMember("changePermissions(input: { memberId: $memberId }) { id }"),
    "remove a member": onMember("removeMember(input: { id: $memberId }) { id }"),
    "unlink a member": onMember("unlinkIdentity(input: { memberId: $memberId }) { id }"),
    "invite a member": attempt(
      'mutation { inviteMember(input: { email: "me@example.com", permissions: [config_manage] }) { mail } }',
    ),
    "list invitations": field("invitations { id }"),
    "list sessions": attempt("query ($memberId: ID) { sessions(memberId: $memberId) { id } }"),
    "list passkeys": attempt("query ($memberId: ID) { passkeys(memberId: $memberId) { id } }"),
    "add a passkey": attempt("mutation { startPasskeyRegistration { options } }"),
    "change an address": attempt('mutation { changeEmail(input: { email: "me@example.com" }) { id } }'),
    "confirm a sign-in": attempt('mutation { confirmSignIn(input: { password: "x" }) { id } }'),
    "rename the organization": attempt('mutation { renameOrganization(input: { name: "Mine" }) { id } }'),
    "deactivate the organization": attempt("mutation { deactivateOrganization { id } }"),
    "reactivate the organization": attempt("mutation { reactivateOrganization { id } }"),
    "create an agent": attempt('mutation { createAgent(input: { slug: "mine", name: "Mine" }) { id } }'),
    "delete an agent": withAgent("deleteAgent(input: { id: $agentId }) { id }", "mutation"),
    "read a configuration": withAgent("configuration(agentId: $agentId) { document }"),
    "publish a configuration": withAgent(
      "publishConfiguration(input: { agentId: $agentId, expectedLiveVersion: 1, fromVersion: 1 }) { version }",
      "mutation",
    ),
    "read the audit log": field("auditLog { nodes { id } }"),
    "create a line": withAgent(
      'createLine(input: { agentId: $agentId, name: "mine" }) { line { id } }',
      "mutation",
    ),
    "create a webhook endpoint": withAgent(
      `createWebhookEndpoint(input: { agentId: $agentId, url: "${PUBLIC_URL}" }) { signingSecret }`,
      "mutation",
    ),
    "list contacts": withAgent("contacts(agentId: $agentId) { nodes { id } }"),
    "export a contact": attempt(
      "query ($contactId: ID!) { exportContact(id: $contactId) { nodes { kind } } }",
    ),
    "erase a contact": attempt(
      "mutation ($contactId: ID!) { eraseContact(input: { id: $contactId }) { id } }",
    ),
    "list conversations": withAgent("conversations(agentId: $agentId) { nodes { id } }"),
    "list messages": withAgent("messages(agentId: $agentId) { nodes { text } }"),
    "list decisions": withAgent("decisions(agentId: $agentId) { nodes { id } }"),
    "replay decisions": withAgent("replayDecisions(agentId: $agentId, against: { version: 1 }) { total }"),
    "list events": withAgent("events(agentId: $agentId) { nodes { id } }"),
    "count activity": field("activity { decisions { count } }"),
    "send a message": attempt('mutation { sendMessage(input: { text: "hello" }) { id } }'),
    decide: withAgent(
      'decide(input: { agentId: $agentId, situation: { type: "x", data: {} } }) { id }',
      "mutation",
    ),
    "read contacts through agents": field("agents { contacts { nodes { id } } }"),
    "read conversations through agents": field("agents { conversations { nodes { id } } }"),
    "read lines through agents": field("agents { lines { id } }"),
    "read contacts by an alias": withAgent(
      "members { id } agents: contacts(agentId: $agentId) { nodes { id } }",
    ),
    "read messages in a fragment": attempt(
      "query ($agentId: ID) { ...f members { id } } fragment f on Query { people: messages(agentId: $agentId) { nodes { id } } agents { id } }",
    ),
    "mint by an alias": attempt(
      `mutation { a: __typename createAgent: createOrganizationKey(input: { name: "x", scopes: [audit_read] }) { secret } }`,
    ),
    "list messages by REST": rest("GET", "/messages"),
    "send a message by REST": rest("POST", "/messages", { message: "hello" }),
    "list contacts by REST": rest("GET", "/agent/contacts"),
    "list conversations by REST": rest("GET", "/agent/conversations"),
    "list events by REST": rest("GET", "/agent/events"),
    "read a configuration by REST": rest("GET", "/agent/configuration"),
    "decide by REST": rest("POST", "/agent/decisions", { situation: { type: "x", data: {} } }),
    "add a pet by REST": rest("POST", "/v1/pets", { name: "Rex", categoryId: 1 }),
    "mint with the idempotency key of a manager": async () => {
      const input = {
        name: "of a manager",
        scopes: ["audit_read"],
        allowedNetworks: NETWORKS,
        idempotencyKey: "1",
      };
      const minted = await ask(ORGANIZATION_KEY, { input }, gateway.owner);
      expect(codeOf(minted)).toBeUndefined();
      await gateway.services.database.write((tx) => tx.delete(ApiKey, { name: "of a manager" }));
      return ask(ORGANIZATION_KEY, { input });
    },
    "mint with a session of a removed member": async () => {
      const member = await addMember(gateway, { manage: true });
      await gateway.services.members.remove(await operator(gateway), member.id);
      const input = { name: "x", scopes: ["audit_read"], allowedNetworks: NETWORKS };
      return ask(ORGANIZATION_KEY, { input }, member.token);
    },
    "mint with an agent's key": () =>
      ask(
        ORGANIZATION_KEY,
        { input: { name: "x", scopes: ["audit_read"], allowedNetworks: NETWORKS } },
        gateway.key,
      ),
    "present a key of an agent with the prefix of the organization's": () => {
      const body = `ago${gateway.key.slice(3, -6)}`;
      return ask("{ whoami { key { id } } }", {}, body + toBase62(crc32(body), 6));
    },
    "forward another address": async () => {
      const elsewhere = await gateway.services.database.read((reader) =>
        reader.findOneByOrFail(ApiKey, { id: ids.revokedId ?? "" }),
      );
      expect(elsewhere.allowedNetworks).toEqual(NETWORKS);
      const { secret } = await temporary({ allowedNetworks: ["192.0.2.0/24"] });
      const headers = { "x-forwarded-for": "192.0.2.1" };
      return gateway.rest("GET", "/agent/whoami", { token: secret, headers });
    },
    "use an expired key": async () => {
      const { id, secret } = await temporary({ expiresAt: inDays(1) });
      await expire(gateway, id);
      return ask("{ members { id } }", {}, secret);
    },
    "use a key of a deactivated organization": async () => {
      const { secret } = await mintForOrganization(gateway, { org: "other", name: "deactivated" });
      const { organizations, database } = gateway.services;
      await organizations.deactivate(await operator(gateway, "other"));
      const reply = await ask("{ members { id } }", {}, secret);
      await organizations.reactivate(await operator(gateway, "other"));
      await database.write((tx) => tx.delete(ApiKey, { name: "deactivated" }));
      return reply;
    },
    "use a key that was revoked during the request": async () => {
      const { id, secret } = await temporary({ scopes: ["keys:manage"] });
      const { database, keys } = gateway.services;
      const find = jest.spyOn(database, "writeFor").mockImplementationOnce(async (...args) => {
        await keys.revoke(await operator(gateway), id);
        return database.writeFor(...args);
      });
      const input = { name: "late", agentId: ids.agentId, scopes: ["pets_read"] };
      const reply = await ask(AGENT_KEY, { input }, secret);
      find.mockRestore();
      return reply;
    },
  };

  /** Mints a key that is not compared. */
  const temporary = (given: Parameters<typeof mintForOrganization>[1]) =>
    mintForOrganization(gateway, { name: `temporary ${Math.random()}`, scopes: ["members:read"], ...given });

  const everyKey = () =>
    gateway.services.database.read(async (reader) =>
      (await reader.find(ApiKey, { order: { id: "ASC" } }))
        .filter(({ name }) => !name.startsWith("temporary"))
        .map(({ lastUsedAt: _, lastUsedIp: __, ...row }) => row),
    );

  slowTest("none of its attempts to extend its rights succeeds", async () => {
    const names = Object.keys(ATTEMPTS);
    expect(names.length).toBeGreaterThanOrEqual(60);
    const before = await everyKey();
    const outcomes = new Map<string, string | undefined>();
    for (const name of names) outcomes.set(name, codeOf((await ATTEMPTS[name]?.()) as Reply));
    const follow = 'subscription ($agentId: ID) { events(agentId: $agentId, after: "0") { id } }';
    outcomes.set(
      "follow events",
      await outcomeBySocket(gateway, key.secret, follow, { agentId: ids.agentId }),
    );
    for (const tool of ["listMessages", "runGraphql", "putContact"]) {
      const reply = await callTool(
        gateway,
        tool,
        { document: "{ pets { nodes { id } } }" },
        { token: key.secret },
      );
      outcomes.set(`call the tool ${tool}`, toolError(reply)?.code);
    }
    const REJECTIONS =
      /^(forbidden|insufficient_scope|not_found|conflict|invalid_request|graphql_validation_failed|invalid_session|invalid_api_key|address_not_allowed|key_expired|key_revoked|key_not_resolvable)$/;
    const succeeded = [...outcomes].filter(([, code]) => !REJECTIONS.test(code ?? ""));
    expect(succeeded).toEqual([]);
    // A typo in an attempt must not count as a rejection.
    const invalid = [...outcomes].filter(
      ([, code]) => code === "graphql_validation_failed" || code === "invalid_request",
    );
    expect(invalid.map(([name]) => name)).toEqual([
      "mint a scope of agents",
      "mint without scopes",
      "mint an agent's key with its own scopes",
    ]);
    expect(await everyKey()).toEqual(before);
  });

  test("the keys that it mints have its limits, and rotated keys last no longer", async () => {
    const input = { name: "as itself", scopes: ["members_read"] };
    const document = `mutation ($input: CreateOrganizationKeyInput!) {
      createOrganizationKey(input: $input) { secret apiKey { id createdBy expiresAt allowedNetworks rateLimitPerMinute } }
    }`;
    const { body } = await ask(document, { input });
    const own = (await gateway.services.keys.find(await operator(gateway), key.id)) as ApiKey;
    const { id, ...limits } = body.data.createOrganizationKey.apiKey;
    expect(limits).toEqual({
      createdBy: own.hint,
      expiresAt: own.expiresAt,
      allowedNetworks: NETWORKS,
      rateLimitPerMinute: 10_000,
    });
    const rotate = `mutation ($id: ID!) { rotateApiKey(input: { id: $id }) { secret apiKey { expiresAt } } }`;
    const rotated = (await ask(rotate, { id })).body.data.rotateApiKey;
    expect(rotated.apiKey.expiresAt).toBe(own.expiresAt);
    const self = (await ask(rotate, { id: key.id })).body.data.rotateApiKey;
    expect(self.apiKey.expiresAt).toBe(own.expiresAt);
    expect(codeOf(await ask("{ members { id } }"))).toBe("key_revoked");
    expect(timestamp() < (own.expiresAt ?? "")).toBe(true);
    key = { ...key, secret: self.secret };
    expect(codeOf(await ask("{ members { id } }"))).toBeUndefined();
  });

  test("it rotates an agent's key that it could have minted, and members can undo this without a loss", async () => {
    const own = (await gateway.services.keys.find(await operator(gateway), key.id)) as ApiKey;
    const shop = { name: "shop", agentId: ids.agentId, scopes: ["pets_read"] };
    const mintKey = "mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id } } }";
    const { id } = (await ask(mintKey, { input: shop })).body.data.createApiKey.apiKey;
    const { database, keys } = gateway.services;
    // The key has lived for most of its lifetime.
    await database.write((tx) => tx.update(ApiKey, { id }, { createdAt: timestamp(-300 * DAY_MS) }));
    const rotate = `mutation ($id: ID!) {
      rotateApiKey(input: { id: $id, graceSeconds: 60 }) { apiKey { id expiresAt allowedNetworks rateLimitPerMinute } }
    }`;
    const { id: next, ...limits } = (await ask(rotate, { id })).body.data.rotateApiKey.apiKey;
    expect(limits).toEqual({
      expiresAt: own.expiresAt,
      allowedNetworks: NETWORKS,
      rateLimitPerMinute: 10_000,
    });
    await keys.revoke(await operator(gateway), next, undefined, { keepReplaced: true });
    const kept = await keys.find(await operator(gateway), id);
    expect(kept).toMatchObject({ state: "active", expiresAt: own.expiresAt, replacedById: null });
  });
});
