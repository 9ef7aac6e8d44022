import fc from "fast-check";
import { execute, parse, validate } from "graphql";
import type { RequestContext } from "../../src/context";
import { createSchema } from "../../src/graphql/schema";
import { Templates } from "../../src/graphql/templates";
import { createResolvers } from "../../src/services";
import { sqlite } from "../support/engines";
import { startGateway, type TestGateway } from "../support/gateway";

const SEED = Number(process.env.TEMPLATES_SEED ?? fc.sample(fc.integer(), 1)[0]);

/** Documents of one form, with places for literals. */
const FORMS = [
  "{ pets(first: %i) { nodes { id name } } }",
  "query Named { pets(first: %i, status: sold) { nodes { id } pageInfo { endCursor } } }",
  "query ($n: Int = %i) { pets(first: $n) { nodes { id } } }",
  "{ pet(id: %s) { id name } other: pet(id: %i) { id } }",
  "{ pets(first: %i) { nodes { id } } pets(first: %i) { nodes { name } } }",
  "query Q { ...some } fragment some on Query { a: pets(first: %i) { nodes { id } } pet(id: %s) { name } }",
  "{ pets(first: %i) { nodes { id @include(if: true) } } }",
  '{ pet(id: """1""") { id } pets(first: %i, after: null) { nodes { id } } }',
] as const;

const integer = fc.constantFrom("1", "2", "3", "0", "-1", "101", "2147483648", "99999999999999999999");
const text = fc.constantFrom('"1"', '"2"', '"none"', '"\\u0031"', '"a\\"b"');

const filled = (form: string) =>
  fc
    .tuple(fc.array(integer, { minLength: 2, maxLength: 2 }), fc.array(text, { minLength: 2, maxLength: 2 }))
    .map(([integers, texts]) => {
      const [i, s] = [[...integers], [...texts]];
      return form.replace(/%i/g, () => i.pop() ?? "1").replace(/%s/g, () => s.pop() ?? '"1"');
    });

describe("documents that are alike but for their literals", () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(sqlite);
    await gateway.services.pets.seed(20);
  });
  afterAll(() => gateway.close());

  test("are answered as each by itself", async () => {
    const schema = createSchema(createResolvers(gateway.services));
    const origin = { ip: null, userAgent: null, requestId: null };
    const caller = await gateway.services.keys.resolve(gateway.key, origin);
    let matched = 0;
    const instances = fc
      .constantFrom(...FORMS)
      .chain((form) => fc.array(filled(form), { minLength: 3, maxLength: 8 }));
    await fc.assert(
      fc.asyncProperty(instances, async (documents) => {
        const templates = new Templates(schema);
        for (const source of documents) {
          const contextValue: RequestContext = { caller, origin };
          const document = parse(source);
          const faults = validate(schema, document);
          const found = templates.match(source);
          if (found === undefined) {
            if (faults.length === 0) templates.learn(source, document);
            continue;
          }
          matched += 1;
          // What is not valid by itself must not pass as an instance of what is.
          expect(faults).toEqual([]);
          const wanted = await execute({ schema, document, contextValue });
          const told = await execute({
            schema,
            document: found.document,
            variableValues: found.variables,
            contextValue,
          });
          expect(told.errors?.map(({ message }) => message)).toEqual(
            wanted.errors?.map(({ message }) => message),
          );
          expect(JSON.stringify(told.data)).toEqual(JSON.stringify(wanted.data));
        }
      }),
      { numRuns: 400, seed: SEED },
    );
    expect(matched).toBeGreaterThan(100);
  });

  test("fail with the place of the fault in the document as it came", async () => {
    const list = (first: number, after: string) =>
      gateway.graphql(
        `{ a: pets(first: ${first}) { nodes { id } } b: pets(after: "${after}") { nodes { id } } }`,
      );
    const { body } = await gateway.graphql("{ pets(first: 1) { pageInfo { endCursor } } }");
    const cursor = body.data.pets.pageInfo.endCursor;
    for (let i = 0; i < 10; i++) expect((await list((i % 3) + 1, cursor)).body.errors).toBeUndefined();
    const { body: failed } = await list(10, "made up");
    expect(failed.errors).toEqual([
      {
        message: "The cursor is not one that this service handed out.",
        locations: [{ line: 1, column: 39 }],
        path: ["b"],
        extensions: { code: "invalid_cursor" },
      },
    ]);
  });
});
