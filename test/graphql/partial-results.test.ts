import { isNonNullType } from "graphql";
import { createSchema, printSorted } from "../../src/graphql/schema";
import { mint } from "../support/gateway";
import { describeGateway } from "../support/suite";

test("every field of Query and Mutation is nullable, and the printed schema marks fields that are null only if they failed", () => {
  const schema = createSchema();
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.values(type?.getFields() ?? {}),
  );
  expect(fields.filter(({ type }) => isNonNullType(type)).map(({ name }) => name)).toEqual([]);
  const printed = printSorted(schema);
  expect(printed).toMatch(/\n {2}\): MintedApiKey @semanticNonNull\n/);
  expect(printed).toMatch(/\n {2}\): ApiKey\n/);
});

describeGateway((gateway) => {
  const ask = async (query: string, token = gateway.owner) => {
    const { status, body } = await gateway.graphql(query, {}, { token });
    const errors = (body.errors ?? []).map(
      ({ path, extensions }: { path: string[]; extensions: object }) => ({
        path,
        ...extensions,
      }),
    );
    return { status, data: body.data, errors };
  };
  const accepts = async (secret: string) =>
    (await gateway.rest("GET", "/agent/whoami", { token: secret })).status;

  test.each([
    [
      "createApiKey",
      async () => {
        const { id } = await gateway.services.agents.bySlug("first-agent");
        return ["made", "", "made too"].map((name) => `(input: { agentId: "${id}", name: "${name}" })`);
      },
      "invalid_request",
    ],
    [
      "rotateApiKey",
      async () => [
        `(input: { id: "${(await mint(gateway)).id}" })`,
        '(input: { id: "018f0000-0000-7000-8000-000000000000" })',
        `(input: { id: "${(await mint(gateway)).id}" })`,
      ],
      "not_found",
    ],
  ])("the secrets of %s are returned even if one of its calls fails", async (field, inputs, code) => {
    const calls = (await inputs()).map((input, i) => `${"abc"[i]}: ${field}${input} { secret }`);
    const { status, data, errors } = await ask(`mutation { ${calls.join(" ")} }`);
    expect({ status, b: data.b, errors }).toMatchObject({
      status: 200,
      b: null,
      errors: [{ path: ["b"], code }],
    });
    expect([await accepts(data.a.secret), await accepts(data.c.secret)]).toEqual([200, 200]);
  });

  test("the calls of a mutation run one after the other, before and after one that fails", async () => {
    const send = (text: string) => `sendMessage(input: { text: "${text}", idempotencyKey: "k" }) { id text }`;
    const { data, errors } = await ask(
      `mutation { a: ${send("first")} b: ${send("second")} c: ${send("first")} }`,
      gateway.key,
    );
    expect(data).toEqual({ a: { id: expect.any(String), text: "first" }, b: null, c: data.a });
    expect(errors).toEqual([{ path: ["b"], code: "idempotency_key_reused" }]);
  });

  test("a query returns the fields that its caller may read, even next to fields that it may not", async () => {
    expect(await ask("{ agents { slug } whoami { agent { slug } } }")).toEqual({
      status: 200,
      data: { agents: [{ slug: "first-agent" }], whoami: null },
      errors: [{ path: ["whoami"], code: "forbidden" }],
    });
  });
});
