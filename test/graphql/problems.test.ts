import { firstAgentId } from "../support/people";
import { expectGraphQLError } from "../support/rejections";
import { describeGateway } from "../support/suite";

const CREATE = "mutation ($input: CreatePetInput!) { createPet(input: $input) { id } }";

describeGateway({ engine: "one", strict: true, storesNothing: true }, (gateway) => {
  const create = (input: object): [string, Record<string, unknown>] => [CREATE, { input }];
  const CASES: [string, [document: string, variables?: Record<string, unknown>], Record<string, RegExp>][] = [
    ["a rule on a field", create({ name: " ", categoryId: "1" }), { "input.name": /^must not be empty$/ }],
    [
      "rules on two fields",
      create({ name: "", categoryId: "x" }),
      { "input.name": /^must not be empty$/, "input.categoryId": /^must be a 64-bit integer/ },
    ],
    [
      "a rule on a field of a literal",
      ['mutation { createPet(input: { name: "", categoryId: 1 }) { id } }'],
      { "input.name": /^must not be empty$/ },
    ],
    ["a rule on an argument", ["{ pets(first: 0) { nodes { id } } }"], { first: /^must be/ }],
    [
      "a variable whose fields do not fit",
      create({ name: 7, status: "lost", tag: "x" }),
      {
        "input.tag": /^is not known$/,
        "input.name": /^must be of the type String$/,
        "input.categoryId": /^is required$/,
        "input.status": /^must be one of available, pending, sold$/,
      },
    ],
    ["a variable that is missing", [CREATE], { input: /^is required$/ }],
    ["a variable that is null", [CREATE, { input: null }], { input: /^is required$/ }],
    ...["null", "left out"].map((what): (typeof CASES)[number] => [
      `a variable within @oneOf that is ${what}`,
      ["query ($id: ID) { contact(by: { id: $id }) { id } }", what === "null" ? { id: null } : {}],
      { id: /^must not be null$/ },
    ]),
    [
      "variables that are null despite their defaults",
      [
        "query ($n: Int = 1, $status: PetStatus = sold) { ...f } fragment f on Query { pets(first: $n, status: $status) { totalCount } }",
        { n: null, status: null },
      ],
      { n: /^must not be null$/ },
    ],
    [
      "variables that are null although their types do not allow it",
      [
        `query ($n: Int! = 1, $types: [EventType!]) { events(first: $n, types: $types) { nodes { id } } }`,
        { n: null, types: ["line_paused", null] },
      ],
      { n: /^must not be null$/, "types.1": /^must not be null$/ },
    ],
    [
      "a field that is null despite its default",
      [
        "mutation ($input: RotateApiKeyInput!) { rotateApiKey(input: $input) { secret } }",
        { input: { id: "1", graceSeconds: null } },
      ],
      { "input.graceSeconds": /^must not be null$/ },
    ],
  ];

  test.each(CASES)("%s is reported with its path", async (_, call, expected) => {
    const reply = await gateway.graphql(...call);
    expectGraphQLError(reply, "invalid_request");
    const { problems } = reply.body.errors[0].extensions;
    expect(problems).toEqual(
      Object.entries(expected).map(([path, message]) => ({ path, message: expect.stringMatching(message) })),
    );
    expect(reply.body.errors[0].extensions).toEqual({ code: "invalid_request", problems });
  });

  test("no submitted value is repeated, and no more than ten problems are reported", async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`unknown${i}`, "secret"]));
    const reply = await gateway.graphql(CREATE, { input: { name: ["secret"], categoryId: "1", ...many } });
    expect(reply.body.errors[0].extensions.problems).toHaveLength(10);
    expect(reply.text).not.toContain("secret");
  });

  test("other errors have no problems", async () => {
    const agentId = await firstAgentId(gateway);
    const errors = await Promise.all([
      gateway.graphql(CREATE, { input: { name: "Rex", categoryId: "1" } }, { token: null }),
      gateway.graphql(
        "mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }",
        { input: { agentId, name: "First key" } },
        { token: gateway.owner },
      ),
    ]);
    expect(errors.map(({ body }) => body.errors[0].extensions)).toEqual([
      { code: "unauthenticated" },
      { code: "conflict" },
    ]);
  });

  test("REST names the members of its body instead", async () => {
    const { body } = await gateway.rest("POST", "/v1/pets", { body: { name: " ", categoryId: 1 } });
    expect(body).toEqual({ code: "invalid_request", message: "name must not be empty", status: 400 });
  });
});
