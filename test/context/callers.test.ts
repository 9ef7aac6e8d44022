import { mintSessionToken } from "../../src/credentials/token-format";
import { expectGraphQLError, expectRestError } from "../support/rejections";
import { describeGateway } from "../support/suite";

describeGateway({ engine: "one", strict: true, storesNothing: true }, (gateway) => {
  test("the viewer is the signed-in member, and null for a caller without a session", async () => {
    const viewerOf = async (token: string | null) =>
      (await gateway.graphql("{ viewer { email } }", {}, { token })).body;
    expect(await viewerOf(gateway.owner)).toEqual({
      data: { viewer: { email: gateway.ownerCredentials.email } },
    });
    for (const token of [gateway.key, null])
      expect(await viewerOf(token)).toEqual({ data: { viewer: null } });
  });

  test.each([
    ["without a checksum", "ags_x"],
    ["with only its prefix", "ags_"],
    ["that was never issued", mintSessionToken()],
    ["with one character changed", mintSessionToken().replace(/.$/, (c) => (c === "A" ? "B" : "A"))],
  ])("a session token %s is 401", async (_, token) => {
    expectRestError(await gateway.rest("GET", "/v1/pets", { token }), "invalid_session");
    expectGraphQLError(await gateway.graphql("{ viewer { id } }", {}, { token }), "invalid_session");
  });

  test("a session token is rejected after signing out", async () => {
    const { services, ownerCredentials } = gateway;
    const anonymous = { kind: "anonymous" } as const;
    const origin = { ip: null, userAgent: null, requestId: null };
    const { token } = await services.sessions.signIn({ caller: anonymous, origin }, ownerCredentials);
    expect((await gateway.graphql("{ viewer { id } }", {}, { token })).status).toBe(200);
    expect(
      (await gateway.graphql("mutation { signOut { wasActive } }", {}, { token })).body.data.signOut
        .wasActive,
    ).toBe(true);
    expectGraphQLError(await gateway.graphql("{ viewer { id } }", {}, { token }), "invalid_session");
  });
});
