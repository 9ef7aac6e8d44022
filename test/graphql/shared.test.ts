import { mint } from "../support/gateway";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";

const LIST = "query { pets(first: 100) { nodes { name } } }";

describeGateway({ engine: "any" }, (gateway) => {
  beforeAll(async () => {
    await gateway.services.pets.seed(3);
    // Often enough to be compiled.
    for (let i = 0; i < 10; i++) await gateway.graphql(LIST);
  });

  test("callers without access are rejected, even while others get the same query answered", async () => {
    const { secret } = await mint(gateway, { scopes: ["messages:read"] });
    const tokens = Array.from({ length: 40 }, (_, i) => [undefined, secret, null][i % 3]);
    const replies = await Promise.all(tokens.map((token) => gateway.graphql(LIST, {}, { token })));
    const codes = replies.map(({ body }) => body.errors?.[0].extensions.code);
    expect(codes).toEqual(tokens.map((_, i) => [undefined, "insufficient_scope", "unauthenticated"][i % 3]));
    const rest = await Promise.all(tokens.map((token) => gateway.rest("GET", "/v1/pets", { token })));
    expect(rest.map(({ status }) => status)).toEqual(tokens.map((_, i) => [200, 403, 401][i % 3]));
  });

  slowTest(
    "a list requested after a pet was added contains it, whatever others request at the same time",
    async () => {
      let done = false;
      const others = Array.from({ length: 8 }, async () => {
        while (!done) await Promise.all([gateway.rest("GET", "/v1/pets?limit=100"), gateway.graphql(LIST)]);
      });
      for (let i = 0; i < 40; i++) {
        const name = `added ${i}`;
        expect((await gateway.rest("POST", "/v1/pets", { body: { name, categoryId: 1 } })).status).toBe(201);
        const [rest, graphql] = await Promise.all([
          gateway.rest("GET", "/v1/pets?limit=100"),
          gateway.graphql(LIST),
        ]);
        expect(rest.body.map((pet: { name: string }) => pet.name)).toContain(name);
        expect(graphql.body.data.pets.nodes.map((pet: { name: string }) => pet.name)).toContain(name);
      }
      done = true;
      await Promise.all(others);
    },
  );

  test("an invalid query is rejected for each of its callers", async () => {
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => gateway.rest("GET", "/v1/pets?limit=5&cursor=made-up")),
    );
    expect(replies.map(({ body }) => body.code)).toEqual(Array(10).fill("invalid_cursor"));
  });

  test("variables that JSON.stringify cannot write do not disturb other calls", async () => {
    const body = `{"query":"query ($n: Int) { pets(first: $n) { nodes { id } } }","variables":{"n":1,"other":99999999999999999999999}}`;
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        i % 3 === 0
          ? gateway.rest("POST", "/graphql", { body })
          : gateway.graphql("query ($n: Int) { pets(first: $n) { nodes { id } } }", { n: 1 }),
      ),
    );
    expect(replies.map(({ status, body }) => [status, body.data?.pets.nodes.length])).toEqual(
      Array(30).fill([200, 1]),
    );
  });
});
