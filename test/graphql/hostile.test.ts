import { ANONYMOUS_BODY_LIMIT } from "../../src/http/plugins/read-body";
import { expectGraphQLError } from "../support/rejections";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";
import { ATTACKS } from "./attacks";

describeGateway({ engine: "one", strict: true, storesNothing: true }, (gateway) => {
  /** Sends another query as the same client. */
  const expectServed = async () =>
    expect((await gateway.graphql("{ whoami { agent { slug } } }")).body).toEqual({
      data: { whoami: { agent: { slug: "first-agent" } } },
    });

  describe("a hostile document", () => {
    test.each(ATTACKS)(
      "with %s is rejected for every caller, and the next document is answered",
      async (_, code, query) => {
        const callers = [gateway.key, null, gateway.owner];
        const replies = callers.map((token) => gateway.graphql(query, {}, { token }));
        await expectServed();
        const isLarge = Buffer.byteLength(JSON.stringify({ query, variables: {} })) > ANONYMOUS_BODY_LIMIT;
        for (const [i, reply] of (await Promise.all(replies)).entries()) {
          expectGraphQLError(reply, isLarge && callers[i] === null ? "payload_too_large" : code);
          expect(reply.text.length).toBeLessThan(10_000);
        }
      },
    );
  });

  slowTest("is rejected every time, even for a client that knows no other statuses", async () => {
    const accept = "application/json";
    for (const [, code, query] of ATTACKS.filter(([, code]) => code === "query_too_complex")) {
      for (let i = 0; i < 7; i++) {
        expectGraphQLError(await gateway.graphql(query, {}, { headers: { accept } }), code, 200);
      }
    }
  });

  test("by GET is also rejected", async () => {
    const headers = { accept: "application/graphql-response+json" };
    const query = `{ ${"__typename ".repeat(1_000)} }`;
    const reply = await gateway.rest("GET", `/graphql?query=${encodeURIComponent(query)}`, { headers });
    expectGraphQLError(reply, "query_too_complex");
  });

  test("is rejected with the limit that it exceeds", async () => {
    const { body } = await gateway.graphql(`{ ${"__typename ".repeat(600)} }`);
    expect(body).toEqual({
      errors: [
        { message: "The document has more than 50 root fields.", extensions: { code: "query_too_complex" } },
      ],
    });
  });
});
