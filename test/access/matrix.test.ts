import { ERRORS, type ErrorCode } from "../../src/errors";
import { accessOf } from "../../src/graphql/access";
import { createSchema } from "../../src/graphql/schema";
import { ROUTES } from "../../src/rest/routes";
import { onEachEngine } from "../support/engines";
import { type Reply, startGateway, type TestGateway } from "../support/gateway";
import { codeOf } from "../support/people";
import { CALLERS, type Cast, castOf } from "./callers";
import { FIELDS, ROUTES_TABLE } from "./table";

const fieldsOf = ["Query", "Mutation"].flatMap((type) => {
  const fields = createSchema()[`get${type as "Query" | "Mutation"}Type`]()?.getFields() ?? {};
  return Object.values(fields).map((field) => ({ coordinate: `${type}.${field.name}`, field }));
});

test("every field of Query and Mutation declares who may call it, and is in the table", () => {
  expect(fieldsOf.filter(({ field }) => accessOf(field) === undefined)).toEqual([]);
  expect(Object.keys(FIELDS).sort()).toEqual(fieldsOf.map(({ coordinate }) => coordinate).sort());
});

test("every REST route is in the table", () => {
  expect(ROUTES_TABLE.map(({ operationId }) => operationId)).toEqual(
    ROUTES.map((route) => route.operationId),
  );
});

const statusOf = (expected: string) => (expected === "ok" ? 200 : ERRORS[expected as ErrorCode].status);

onEachEngine((engine) => {
  let gateway: TestGateway;
  let cast: Cast;
  beforeAll(async () => {
    gateway = await startGateway(engine);
    cast = await castOf(gateway);
    // So that there is an animal to get.
    await gateway.rest("POST", "/v1/pets", { body: { name: "Rex", categoryId: 1 } });
  });
  afterAll(() => gateway.close());

  /**
   * What each caller got, by name; one after the other, for some calls change what others meet.
   * @param disturbs whether the calls may end sessions or switch organizations
   */
  async function outcomes(disturbs: boolean, call: (token: string | null) => Promise<Reply>) {
    const got: [string, string, number][] = [];
    for (const caller of CALLERS) {
      const reply = await call(cast.tokenOf(caller));
      got.push([caller, codeOf(reply) ?? "ok", reply.status]);
      if (reply.status === 401) expect(reply.headers.get("www-authenticate")).toBe("Bearer");
      if (disturbs) await cast.restore(caller);
    }
    return got;
  }

  test.each(Object.entries(FIELDS))(
    "%s lets in whom it should, and tells the others why not",
    async (...args) => {
      const [coordinate, { row, document, variables }] = args;
      const got = await outcomes(coordinate.startsWith("Mutation"), async (token) =>
        gateway.graphql(document, await variables?.(cast), { token }),
      );
      const expected = CALLERS.map((caller, i) => {
        const code = row[i] ?? "";
        return [caller, code, statusOf(code)];
      });
      expect(got).toEqual(expected);
    },
  );

  test.each(ROUTES_TABLE)("$method $path lets in agent keys, and tells the others why not", async (route) => {
    const { method, path, body, row } = route;
    const got = await outcomes(false, (token) => gateway.rest(method, path, { token, body }));
    const success = ROUTES.find(({ operationId }) => operationId === route.operationId)?.status;
    expect(got).toEqual(
      CALLERS.map((caller, i) => [caller, row[i], row[i] === "ok" ? success : statusOf(row[i] ?? "")]),
    );
  });
});
