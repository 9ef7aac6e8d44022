import { actionsOn } from "../support/audit";
import { mint, type TestGateway } from "../support/gateway";
import { addMember, addOrganization, firstAgentId } from "../support/people";
import { openRaw } from "../support/raw";
import { describeGateway } from "../support/suite";

/** Resolves when the gateway has identified the caller of the next request. */
function callerFound({ services: { acceptedKeys, sessions } }: TestGateway): Promise<unknown> {
  return Promise.race(
    [acceptedKeys, sessions].map(
      (service: { resolve: (...args: never[]) => Promise<unknown> }) =>
        new Promise((found) => {
          const { resolve } = service;
          service.resolve = (...args) => {
            service.resolve = resolve;
            return resolve.apply(service, args).finally(() => found(undefined));
          };
        }),
    ),
  );
}

/**
 * Returns the response to a request whose body arrives only after its head was accepted and something else happened.
 */
async function holdBack(
  gateway: TestGateway,
  { path, token, body }: { path: string; token: string; body: object },
  meanwhile: () => Promise<unknown>,
): Promise<string | undefined> {
  const text = JSON.stringify(body);
  const { socket, closed } = openRaw(gateway.url);
  const found = callerFound(gateway);
  socket.write(
    [
      `POST ${path} HTTP/1.1`,
      "Host: localhost",
      `Authorization: Bearer ${token}`,
      "Content-Type: application/json",
      "Accept: application/graphql-response+json",
      `Content-Length: ${Buffer.byteLength(text)}`,
      "Connection: close",
      "\r\n",
    ].join("\r\n"),
  );
  await found;
  await meanwhile();
  socket.write(text);
  return /"code":"(\w+)"/.exec(await closed)?.[1];
}

describeGateway({ engine: "one" }, (gateway) => {
  const message = (token: string) => ({ path: "/messages", token, body: { message: "held back" } });
  const createKey = async (token: string) => ({
    path: "/graphql",
    token,
    body: {
      query: "mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }",
      variables: { input: { agentId: await firstAgentId(gateway), name: `late ${Math.random()}` } },
    },
  });
  const revoke = (id: string) =>
    gateway.graphql(`mutation { revokeApiKey(input: { id: "${id}" }) { id } }`, {}, { token: gateway.owner });

  test("a late body is served as usual if nothing has changed, and counts as one use of its key", async () => {
    const { id, secret } = await mint(gateway);
    const nothing = async () => undefined;
    expect(await holdBack(gateway, message(secret), nothing)).toBeUndefined();
    const { token } = await addMember(gateway, { manage: true });
    expect(await holdBack(gateway, await createKey(token), nothing)).toBeUndefined();
    await gateway.services.usageRecorder.flush({ all: true });
    const usage = await gateway.graphql(
      "{ keyUsage { accepted apiKey { id } } }",
      {},
      { token: gateway.owner },
    );
    const keys: { accepted: number; apiKey: { id: string } }[] = usage.body.data.keyUsage;
    expect(keys.find(({ apiKey }) => apiKey.id === id)?.accepted).toBe(1);
  });

  test("a key that is revoked before the body arrives can neither write nor read", async () => {
    const requests = [
      (token: string) => message(token),
      (token: string) => ({ path: "/v1/pets", token, body: { name: "Late", categoryId: 1 } }),
      (token: string) => ({ path: "/graphql", token, body: { query: "{ whoami { key { id } } }" } }),
    ];
    for (const request of requests) {
      const { id, secret } = await mint(gateway);
      expect(await holdBack(gateway, request(secret), () => revoke(id))).toBe("key_revoked");
    }
    const messages = await gateway.graphql("{ messages(first: 100) { nodes { text } } }");
    expect(messages.body.data.messages.nodes).toHaveLength(1);
  });

  test("a key that is limited to other networks before the body arrives writes nothing", async () => {
    const { id, secret } = await mint(gateway);
    const move = () =>
      gateway.graphql(
        `mutation { updateApiKey(input: { id: "${id}", allowedNetworks: ["192.0.2.0/24"] }) { id } }`,
        {},
        { token: gateway.owner },
      );
    expect(await holdBack(gateway, message(secret), move)).toBe("address_not_allowed");
  });

  test("a key whose organization is deactivated before the body arrives is rejected", async () => {
    const { manager } = await addOrganization(gateway, "closing");
    const { secret } = await mint(gateway, { agent: "closing-agent" });
    const deactivate = () =>
      gateway.graphql("mutation { deactivateOrganization { id } }", {}, { token: manager.token });
    expect(await holdBack(gateway, message(secret), deactivate)).toBe("key_not_resolvable");
  });

  test("a member who loses the permission or the session before the body arrives mints no key", async () => {
    const { organizations, members, sessions } = gateway.services;
    const context = {
      caller: { kind: "operator" as const, organization: await organizations.bySlug("first") },
    };
    const operator = { ...context, origin: { ip: null, userAgent: null, requestId: null } };
    const member = await addMember(gateway, { manage: true });
    const demote = () => members.revokeAllPermissions(operator, member.id);
    expect(await holdBack(gateway, await createKey(member.token), demote)).toBe("forbidden");
    const other = await addMember(gateway, { manage: true });
    const reset = async () =>
      sessions.setPassword(operator, await members.byEmail(other.email), "a new password");
    expect(await holdBack(gateway, await createKey(other.token), reset)).toBe("invalid_session");
    expect(await actionsOn(gateway, other.id)).not.toContain("api_key_created");
  });
});
