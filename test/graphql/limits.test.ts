import { readdirSync } from "node:fs";
import { join } from "node:path";
import {
  concatAST,
  type DocumentNode,
  GraphQLEnumType,
  getIntrospectionQuery,
  getNamedType,
  isCompositeType,
  isNonNullType,
  isRequiredArgument,
  parse,
  print,
  separateOperations,
} from "graphql";
import { v7 as uuid } from "uuid";
import { EXAMPLE } from "../../src/graphql/example";
import {
  MAX,
  MAX_READ_CHARACTERS,
  MAX_RESPONSE_CHARACTERS,
  MAX_RESPONSE_VALUES,
  MAX_TOKENS,
} from "../../src/graphql/query-limits/limits";
import { createSchema } from "../../src/graphql/schema";
import { isReport } from "../../src/schema/report";
import { read, section } from "../docs/markdown";
import { sqlite } from "../support/engines";
import type { Reply } from "../support/gateway";
import { codesOf, expectGraphQLError } from "../support/rejections";
import { suiteGateway } from "../support/suite";

const many = (count: number, of: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => of(i)).join(" ");

/** 30 lists with five values per item: affordable as short pages, but not as long ones. */
const lists = (first: string) =>
  many(
    30,
    (i) => `a${i}: pets(first: ${first}) { nodes { id name categoryId status } edges { node { id } } }`,
  );

const DASHBOARD = join(__dirname, "../../src/dashboard");
const files = readdirSync(DASHBOARD, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".graphql"),
);
const contentOf = (file: string) => parse(read(join(DASHBOARD, file)));
const shared = files.filter((file) => file.endsWith(".fragments.graphql")).map(contentOf);
/** The dashboard's operations, each with the fragments that it uses. */
const operations = files
  .filter((file) => !file.endsWith(".fragments.graphql"))
  .flatMap((file) => Object.entries(separateOperations(concatAST([contentOf(file), ...shared]))));

const schema = createSchema();
const gateway = suiteGateway(sqlite, { env: { LOG_LEVEL: "error" } });
beforeAll(async () => {
  await gateway.services.pets.seed(3);
});

/** Returns a value of an input type. */
function sampleOf(type: string): unknown {
  if (type.startsWith("[")) return [sampleOf(type.slice(1, -1).replace("!", ""))];
  const known = schema.getType(type);
  if (known instanceof GraphQLEnumType) return known.getValues()[0]?.name;
  return {
    ID: uuid(),
    Int: 100,
    Boolean: true,
    String: "x",
    DateTimeISO: new Date().toISOString(),
    JSONObject: {},
    ReplayAgainst: { version: 1 },
  }[type];
}

const expectSuccess = (reply: Reply) => {
  expect(reply.body.errors).toBeUndefined();
  expect(reply.status).toBe(200);
};

describe("the limits allow", () => {
  test.each([
    ["as it is sent by default", getIntrospectionQuery()],
    [
      "with all options",
      getIntrospectionQuery({
        descriptions: true,
        specifiedByUrl: true,
        directiveIsRepeatable: true,
        schemaDescription: true,
        inputValueDeprecation: true,
        oneOf: true,
      }),
    ],
  ])("the introspection query %s", async (_, query) => {
    const reply = await gateway.graphql(query);
    expectSuccess(reply);
    expect(reply.body.data.__schema.types.length).toBeGreaterThan(20);
  });

  test.each(operations)("the dashboard's operation %s", async (_, document) => {
    for (const definition of document.definitions) {
      if (definition.kind !== "OperationDefinition") continue;
      const changes = definition.operation === "mutation";
      const variables = Object.fromEntries(
        (definition.variableDefinitions ?? [])
          .filter(({ type }) => type.kind === "NonNullType")
          .map(({ variable, type }) => [variable.name.value, sampleOf(print(type).replace(/!/g, ""))]),
      );
      const reply = await gateway.rest("POST", "/graphql", {
        token: changes ? null : gateway.owner,
        body: { query: print(document), variables: changes ? {} : { ...variables, first: 100 } },
      });
      // Mutations lack their inputs and callers, and queried objects may not exist; both are detected later.
      const later = changes
        ? ["invalid_request", "unauthenticated"]
        : [undefined, "not_found", "invalid_cursor", "invalid_invitation"];
      const [code] = codesOf(reply);
      if (code === undefined) expectSuccess(reply);
      expect(later).toContain(code);
    }
  });

  test("the example in Sandbox", async () => {
    const body = { query: EXAMPLE, operationName: "WhoAmIAndWhatIsThere" };
    expectSuccess(await gateway.rest("POST", "/graphql", { body }));
  });

  test("a page of 100 with everything in it", async () => {
    const node = "{ __typename id name categoryId status }";
    const page = "pageInfo { hasNextPage hasPreviousPage startCursor endCursor }";
    expectSuccess(
      await gateway.graphql(`{ pets(first: 100) { nodes ${node} edges { cursor node ${node} } ${page} } }`),
    );
  });

  test("50 pets requested one by one", async () => {
    expectSuccess(await gateway.graphql(`{ ${many(50, (i) => `a${i}: pet(id: "${i}") { id name }`)} }`));
  });

  test("the fragments of 30 components that all select the ID", async () => {
    const fragments = many(30, (i) => `fragment f${i} on Pet { __typename id ${i % 2 ? "name" : "status"} }`);
    expectSuccess(
      await gateway.graphql(
        `{ pets { nodes { ${many(15, (i) => `...f${i}`)} } } pet(id: 1) { ${many(15, (i) => `...f${i + 15}`)} } } ${fragments}`,
      ),
    );
  });
});

describe("the allowed size of a response depends on the requested pages", () => {
  // Often enough for the document to be compiled along the way.
  const SIZES = [1, 100, 2, 3, 4, 5, 100, 6, 7, 100, 101, 0, -1, 8, 100];
  const outcome = (reply: Reply) => codesOf(reply)[0] ?? "ok";
  const expected = (size: number) =>
    size === 100 ? "query_too_complex" : size < 1 || size > 100 ? "invalid_request" : "ok";

  test.each<[string, (size: number) => Promise<Reply>]>([
    ["in the document", (size) => gateway.graphql(`{ ${lists(String(size))} }`)],
    ["in a variable", (first) => gateway.graphql(`query ($first: Int) { ${lists("$first")} }`, { first })],
    [
      "as the default of a variable",
      (size) => gateway.graphql(`query ($first: Int = ${size}) { ${lists("$first")} }`),
    ],
    [
      "in a fragment",
      (size) => gateway.graphql(`query Q { ...all } fragment all on Query { ${lists(String(size))} }`),
    ],
    [
      "in a document of two operations",
      (size) =>
        gateway.rest("POST", "/graphql", {
          headers: { accept: "application/graphql-response+json" },
          body: { query: `query A { __typename } query B { ${lists(String(size))} }`, operationName: "B" },
        }),
    ],
  ])("%s", async (_, ask) => {
    const found = [];
    for (const size of SIZES) found.push([size, outcome(await ask(size))]);
    expect(found).toEqual(SIZES.map((size) => [size, expected(size)]));
  });

  test("the default applies if the size is missing, and null is not a size", async () => {
    for (const [query, missing] of [
      [`query ($first: Int) { ${lists("$first")} }`, "ok"],
      [`query ($first: Int = 100) { ${lists("$first")} }`, "query_too_complex"],
    ] as const) {
      // The last run uses the known document.
      for (let i = 0; i < 3; i++) {
        expect(outcome(await gateway.graphql(query))).toBe(missing);
        expect(outcome(await gateway.graphql(query, { first: null }))).toBe("invalid_request");
      }
    }
  });

  test("decisions with whole explanations cost as much as is stored, unless aliases repeat them", async () => {
    const fragments = [contentOf("decisions/decisions.graphql"), ...shared];
    const ask = (first: number, selection: string) => {
      const query = `query Sized { decisions(first: ${first}) { nodes { id explanation { ${selection} } } } }`;
      const { Sized } = separateOperations(concatAST([parse(query), ...fragments]));
      return gateway.graphql(print(Sized as DocumentNode));
    };
    expect(codesOf(await ask(5, "...Explanation"))).toEqual([]);
    expect(codesOf(await ask(50, "...Explanation"))).toEqual(["query_too_complex"]);
    expect(codesOf(await ask(5, "...Explanation again: now"))).toEqual(["query_too_complex"]);
  });

  test("a default page of decisions may have all rules and clauses", async () => {
    const rules = "rules { ruleId matched spent clauses { source value } }";
    expect(codesOf(await gateway.graphql(`{ decisions { nodes { id explanation { ${rules} } } } }`))).toEqual(
      [],
    );
  });

  test("the rejection contains both numbers", async () => {
    const { body } = await gateway.graphql(`{ ${lists("100")} }`);
    expect(body.errors[0].message).toBe(
      "The response could have 24030 values, but at most 20000 are allowed. Select fewer fields or request smaller pages.",
    );
  });

  test("only the requested operation counts", async () => {
    const query = `query A { __typename } query B { ${lists("100")} }`;
    expectSuccess(await gateway.rest("POST", "/graphql", { body: { query, operationName: "A" } }));
  });

  test("lists without pages count with their max length", async () => {
    const usage = (count: number) =>
      many(count, (i) => `a${i}: keyUsage { apiKey { id } buckets { start accepted refused } }`);
    expectSuccess(await gateway.graphql(`{ ${usage(1)} }`, {}, { token: gateway.owner }));
    expectGraphQLError(
      await gateway.graphql(`{ ${usage(2)} }`, {}, { token: gateway.owner }),
      "query_too_complex",
    );
    const few = usage(2).replaceAll("keyUsage", "keyUsage(first: 5)");
    expectSuccess(await gateway.graphql(`{ ${few} }`, {}, { token: gateway.owner }));
  });
});

describe("an object counts with all of its text, even", () => {
  test.each([
    ["if only its ID is selected", 4, "decisions(first: 100) { nodes { id } }"],
    ["if only its cursor is selected", 4, "decisions(first: 100) { edges { cursor } }"],
    ["if nothing of it is selected", 4, "decisions(first: 100) { pageInfo { hasNextPage } }"],
    ["if a list item leads to it", 3, "messages(first: 100) { nodes { decision { id } } }"],
  ])("%s", async (_, most, list) => {
    const ask = (count: number) => gateway.graphql(`{ ${many(count, (i) => `a${i}: ${list}`)} }`);
    expectSuccess(await ask(most));
    const reply = await ask(most + 1);
    expectGraphQLError(reply, "query_too_complex");
    expect(reply.body.errors[0].message).toMatch(
      /^The requested objects could have \d+ characters in all, but at most 400000000 are allowed\. Request fewer objects or smaller pages\.$/,
    );
  });
});

test("exactly the fields that use the connections for reports are marked as reports", async () => {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {});
  /** The required arguments of fields that have some. */
  const given: Readonly<Record<string, string>> = {
    exportContact: '(id: "none")',
    lineActivity: '(lineId: "none")',
    replayDecisions: "(against: { version: 1 })",
    webhookDeliveries: '(endpointId: "none")',
    find: '(text: "none")',
    operationUse: '(keyId: "01a1f000-0000-7000-8000-000000000001")',
    missedWebhookEvents: '(id: "none", from: { after: "0" })',
  };
  const optional = fields.filter(({ name, args }) => given[name] || !args.some(isRequiredArgument));
  expect(fields.filter((field) => isReport(field) && !optional.includes(field))).toEqual([]);
  const report = jest.spyOn(gateway.services.database, "report");
  const reporting = [];
  for (const { name, type } of optional) {
    const query = `{ ${name} ${given[name] ?? ""} ${isCompositeType(getNamedType(type)) ? "{ __typename }" : ""} }`;
    report.mockClear();
    for (const token of [gateway.key, gateway.owner]) await gateway.graphql(query, {}, { token });
    if (report.mock.calls.length > 0) reporting.push(name);
  }
  report.mockRestore();
  expect(reporting).toEqual(fields.filter(isReport).map(({ name }) => name));
  const ten = `{ ${many(MAX.reports, (i) => `a${i}: auditLog(first: 1) { nodes { id } }`)} }`;
  expectSuccess(await gateway.graphql(ten, {}, { token: gateway.owner }));
});

test("pages of filtered lists are read as reports unless an index selects their rows", async () => {
  const report = jest.spyOn(gateway.services.database, "report");
  const indexed: string[] = [];
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    if (isReport(field) || !field.args.some(({ name }) => name === "first")) continue;
    const filters = field.args.filter(
      ({ name, type }) => !isNonNullType(type) && name !== "agentId" && name !== "after",
    );
    for (const [one, other] of filters.flatMap((one, i) => filters.slice(i).map((other) => [one, other]))) {
      const given = [...new Set([one, other])].flatMap((arg) => arg ?? []);
      const types = given.map(({ name, type }) => `$${name}: ${type}`).join(" ");
      const args = given.map(({ name }) => `${name}: $${name}`).join(" ");
      const values = given.map(({ name, type }) => [name, sampleOf(String(type))]);
      const query = `query (${types}) { ${field.name}(${args}) { __typename } }`;
      report.mockClear();
      expectSuccess(await gateway.graphql(query, Object.fromEntries(values)));
      if (report.mock.calls.length === 0) indexed.push(`${field.name} ${args.replaceAll(/:\s\S+/g, "")}`);
    }
  }
  report.mockRestore();
  expect(indexed.join("; ")).toBe(
    [
      "decisions key; decisions key since; decisions conversationId; decisions conversationId since",
      "decisions contactId; decisions contactId since; decisions hasFailures; decisions hasFailures since",
      "decisions since; events types; messages status; messages status statuses; messages status since",
      "messages statuses; messages statuses since; messages since; pets status; timers contactId",
    ].join("; "),
  );
});

test("the documentation names every limit", () => {
  const named = section(read("docs/graphql.md"), "## Limits").match(/\d+(,\d{3})*/g);
  const others = [MAX_TOKENS, MAX_RESPONSE_VALUES, MAX_RESPONSE_CHARACTERS, MAX_READ_CHARACTERS];
  for (const limit of [...Object.values(MAX), ...others]) {
    expect(named).toContain(limit.toLocaleString("en"));
  }
});
