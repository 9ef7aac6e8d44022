import { execFileSync } from "node:child_process";
import { Ajv2020 } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { sqlite } from "../support/engines";
import { startGateway, type TestGateway } from "../support/gateway";

describe("the contract", () => {
  let gateway: TestGateway;
  // biome-ignore lint/suspicious/noExplicitAny: a JSON document
  let document: any;
  beforeAll(async () => {
    gateway = await startGateway(sqlite, {
      env: { PRODUCTION_URL: "https://api.gateway.dev/", STAGING_URL: "https://staging.gateway.dev" },
    });
    document = (await gateway.rest("GET", "/openapi.json", { token: null })).body;
  });
  afterAll(() => gateway.close());

  test("names the operations of the service and both servers", () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path as object));
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual([
      "createPet",
      "getPet",
      "listPets",
      "sendMessage",
      "whoami",
    ]);
    expect(document.servers.map(({ url }: { url: string }) => url)).toEqual([
      "https://api.gateway.dev",
      "https://staging.gateway.dev",
    ]);
  });

  test("states the limits of a list, and that getting one animal goes away", () => {
    const [limit] = document.paths["/v1/pets"].get.parameters;
    expect(limit).toMatchObject({
      name: "limit",
      schema: { type: "integer", minimum: 1, maximum: 100, default: 20 },
    });
    expect(document.paths["/v1/pets/{petId}"].get.deprecated).toBe(true);
    expect(document.components.schemas.Pet.properties.id).toMatchObject({ type: "integer", format: "int64" });
    expect(document.components.schemas.NewPet).toMatchObject({
      required: ["name", "categoryId"],
      properties: {
        name: { minLength: 1, maxLength: 200 },
        categoryId: { type: "integer", format: "int64" },
      },
    });
  });

  test("has an Error for every refusal, and examples that fit their schemas", () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema({ ...document, $id: "openapi" });
    const fits = (schema: object, value: unknown) =>
      ajv.validate(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')), value);
    let examples = 0;
    for (const path of Object.values(document.paths)) {
      for (const { requestBody, responses } of Object.values(path as object)) {
        const contents = [requestBody, ...Object.values(responses)].filter((each) => each !== undefined);
        for (const { content } of contents) {
          const { schema, example, examples: several = {} } = content["application/json"];
          const values = [
            example,
            ...Object.values(several).map((each) => (each as { value: unknown }).value),
          ];
          for (const value of values.filter((each) => each !== undefined)) {
            expect({ value, fits: fits(schema, value) }).toEqual({ value, fits: true });
            examples += 1;
          }
        }
        expect(Object.keys(responses)).toEqual(expect.arrayContaining(["401", "403", "500", "503"]));
      }
    }
    expect(examples).toBeGreaterThan(30);
  });

  test("is readable and can be tried out at /docs, from this server alone", async () => {
    const page = await gateway.rest("GET", "/docs", { token: null });
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page.text).not.toMatch(/https?:\/\//);
    const viewer = await gateway.rest("GET", "/docs/viewer.js", { token: null });
    expect(viewer.headers.get("content-type")).toContain("text/javascript");
    expect(viewer.text.length).toBeGreaterThan(100_000);
  });

  test("and schema.graphql are accepted by the usual client generators", () => {
    const output = execFileSync(
      process.execPath,
      ["test/openapi/generators/generate.mjs", "schema.graphql"],
      {
        input: JSON.stringify(document),
        maxBuffer: 10_000_000,
      },
    );
    const types = JSON.parse(output.toString());
    expect(types.openapi).toContain("createPet: {");
    expect(types.openapi).toMatch(/categoryId: number;/);
    expect(types.graphql).toContain("export type Pet = {");
  });
});
