import { expectGraphQLError, expectRestError } from "../support/rejections";
import { describeGateway } from "../support/suite";

const BODIES: [string, { body: string; headers?: Record<string, string> }][] = [
  ["invalid JSON", { body: '{"name":' }],
  ["an oversized body", { body: `"${"x".repeat(2000)}"` }],
  ["a wrong content type", { body: "name=Rex", headers: { "content-type": "text/plain" } }],
  ["another charset", { body: "{}", headers: { "content-type": "application/json; charset=latin1" } }],
  ["an empty body", { body: "" }],
  ["a body that is not an object", { body: "[]" }],
];

describeGateway(
  { engine: "one", env: { BODY_LIMIT_BYTES: "1024" }, strict: true, storesNothing: true },
  (gateway) => {
    const token = "agk_dev_made_up";

    test.each(BODIES)("a bad key with %s is rejected for the key", async (_, call) => {
      for (const path of ["/v1/pets", "/messages"]) {
        expectRestError(await gateway.rest("POST", path, { ...call, token }), "invalid_api_key");
      }
      expectGraphQLError(await gateway.rest("POST", "/graphql", { ...call, token }), "invalid_api_key");
    });

    test.each(BODIES)("no key with %s is rejected for the missing key on REST", async (_, call) => {
      for (const path of ["/v1/pets", "/messages"]) {
        expectRestError(await gateway.rest("POST", path, { ...call, token: null }), "unauthenticated");
      }
    });

    test.each(BODIES)(
      "a session with %s is rejected because the route accepts no sessions",
      async (_, call) => {
        for (const path of ["/v1/pets", "/messages"]) {
          expectRestError(await gateway.rest("POST", path, { ...call, token: gateway.owner }), "forbidden");
        }
      },
    );

    test("a bad key is rejected before bad parameters and unknown pets", async () => {
      for (const path of ["/v1/pets?limit=0", "/v1/pets?cursor=x", "/v1/pets/x", "/v1/pets/999999"]) {
        expectRestError(await gateway.rest("GET", path, { token }), "invalid_api_key");
      }
    });
  },
);
