import { ROUTES } from "../../src/features";
import { mintForOrganization } from "../support/gateway";
import { expectRestError } from "../support/rejections";
import { describeGateway } from "../support/suite";

const CALLS = ROUTES.map(
  ({ method, path, pathParameters = [], example, keys = ["key"] }): [string, string, unknown, boolean] => [
    method,
    pathParameters.reduce<string>(
      (url, { name, example: value }) => url.replace(`:${name}`, String(value)),
      path,
    ),
    example.body,
    keys.includes("key"),
  ],
);

describeGateway({ engine: "one", strict: true, storesNothing: true }, (gateway) => {
  test.each(CALLS)(
    "%s %s rejects query parameters that it does not know",
    async (method, path, body, isForAgents) => {
      const token = isForAgents ? gateway.key : (await mintForOrganization(gateway)).secret;
      const reply = await gateway.rest(method, `${path}?unknown=1&__proto__=2`, {
        token,
        ...(body != null && { body }),
      });
      expectRestError(reply, "invalid_request");
      expect(reply.body.message).toBe("unknown is not known; __proto__ is not known");
    },
  );
});
