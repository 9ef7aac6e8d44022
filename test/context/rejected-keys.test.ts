import type { ErrorCode } from "../../src/errors";
import { mint, operator } from "../support/gateway";
import { expectGraphQLError, expectRestError } from "../support/rejections";
import { describeGateway } from "../support/suite";

const PET = { name: "Rex", categoryId: 1 };

describeGateway({ engine: "one", strict: true, storesNothing: true }, (gateway) => {
  async function expectRejectedEverywhere(token: string, code: ErrorCode): Promise<void> {
    expectRestError(await gateway.rest("GET", "/agent/whoami", { token }), code);
    expectRestError(await gateway.rest("GET", "/v1/pets", { token }), code);
    expectRestError(await gateway.rest("GET", "/v1/pets/1", { token }), code);
    expectRestError(await gateway.rest("POST", "/v1/pets", { token, body: PET }), code);
    expectRestError(await gateway.rest("POST", "/messages", { token, body: { message: "Hello" } }), code);
    expectGraphQLError(await gateway.graphql("{ whoami { agent { id } } }", {}, { token }), code);
    expectGraphQLError(await gateway.graphql('{ pet(id: "1") { id } }', {}, { token }), code);
    expectGraphQLError(await gateway.graphql("{ __typename }", {}, { token }), code);
  }

  test("a revoked key is 403 from the next request on", async () => {
    const { id, secret } = await mint(gateway);
    expect((await gateway.rest("GET", "/agent/whoami", { token: secret })).status).toBe(200);
    await gateway.services.keys.revoke(await operator(gateway), id);
    await expectRejectedEverywhere(secret, "key_revoked");
  });

  test("an expired key is 401", async () => {
    const { secret } = await mint(gateway, { expiresAt: new Date(Date.now() - 1) });
    await expectRejectedEverywhere(secret, "key_expired");
  });

  test("a key of a deactivated organization is 401, and works again after its reactivation", async () => {
    const slug = "sleepy";
    const { services } = gateway;
    await services.organizations.create({ slug, name: "Sleepy" });
    const context = await operator(gateway, slug);
    await services.agents.create(context, { slug: "sleepy-agent", name: "Sleepy agent" });
    const { secret } = await mint(gateway, { agent: "sleepy-agent" });
    await services.organizations.deactivate(context);
    await expectRejectedEverywhere(secret, "key_not_resolvable");
    expect((await gateway.rest("GET", "/agent/whoami")).status).toBe(200);
    await services.organizations.reactivate(context);
    expect((await gateway.rest("GET", "/agent/whoami", { token: secret })).status).toBe(200);
  });
});
