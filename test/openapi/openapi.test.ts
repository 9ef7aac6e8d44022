import { Ajv2020, type ValidateFunction } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { MAX_TAGS } from "../../src/features/contacts/contact.limits";
import { version } from "../../src/version";
import { sqlite } from "../support/engines";
import { suiteGateway } from "../support/suite";

describe("the contract", () => {
  const gateway = suiteGateway(sqlite, {
    env: { PRODUCTION_URL: "https://api.gateway.dev/", STAGING_URL: "https://staging.gateway.dev" },
  });
  // biome-ignore lint/suspicious/noExplicitAny: a JSON document
  let document: any;
  beforeAll(async () => {
    document = (await gateway.rest("GET", "/openapi.json", { token: null })).body;
  });

  test("names its version, the operations of the service and both servers", () => {
    expect(document.info.version).toBe(version);
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path as object));
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual([
      "addContactTag",
      "approveMessage",
      "assignConversation",
      "cancelMessage",
      "cancelTimer",
      "changeContactTags",
      "closeConversation",
      "createApiKey",
      "createPet",
      "decide",
      "discardMessage",
      "eraseContact",
      "exportContact",
      "getConfiguration",
      "getConfigurationVersion",
      "getContact",
      "getConversation",
      "getDecision",
      "getMessage",
      "getPet",
      "handOffConversation",
      "listAgents",
      "listApiKeys",
      "listAuditLog",
      "listContactConsents",
      "listContactTags",
      "listContacts",
      "listConversationMessages",
      "listConversations",
      "listDecisions",
      "listEvents",
      "listLines",
      "listMessages",
      "listPets",
      "listTimers",
      "moveConversation",
      "openConversation",
      "publishConfiguration",
      "putContact",
      "putContacts",
      "receiveMessage",
      "releaseConversation",
      "removeContactTag",
      "replayDecision",
      "reportLeakedKey",
      "reportStatus",
      "revokeApiKey",
      "rotateApiKey",
      "runConfigurationTests",
      "saveConfigurationDraft",
      "sendMessage",
      "sendToConversation",
      "setContactConsent",
      "testConfiguration",
      "testFromDecision",
      "whoami",
    ]);
    expect(document.servers.map(({ url }: { url: string }) => url)).toEqual([
      "https://api.gateway.dev",
      "https://staging.gateway.dev",
    ]);
  });

  test("states the limits of a list, and that getting one pet is deprecated", () => {
    const [limit] = document.paths["/v1/pets"].get.parameters;
    expect(limit).toMatchObject({
      name: "limit",
      schema: { type: "integer", minimum: 1, maximum: 100, default: 20 },
    });
    expect(limit.schema.format).toBe("int32");
    const [, cursor] = document.paths["/v1/pets"].get.parameters;
    expect(cursor).toMatchObject({ name: "cursor", schema: { type: "string", minLength: 1 } });
    const page = document.paths["/v1/pets"].get.responses[200].content["application/json"].schema;
    expect(page).toEqual({ type: "array", items: { $ref: "#/components/schemas/Pet" }, maxItems: 100 });
    const getPet = document.paths["/v1/pets/{petId}"].get;
    expect(getPet.deprecated).toBe(true);
    expect(getPet.description).toContain("404 if it does not exist");
    for (const { schema } of [
      getPet.parameters[0],
      { schema: document.components.schemas.Pet.properties.id },
    ]) {
      expect(schema).toMatchObject({ type: "integer", format: "int64" });
      expect(schema.description).toContain("lossless JSON library");
    }
    expect(document.components.schemas.PetStatus).toEqual({
      type: "string",
      enum: ["available", "pending", "sold"],
      description: expect.stringMatching(/^Availability of a pet\.\n\n- `available`: Available for sale\.\n/),
    });
    expect(document.components.schemas.CreatePetInput).toMatchObject({
      required: ["name", "categoryId"],
      properties: {
        name: { minLength: 1, maxLength: 200 },
        categoryId: { type: "integer", format: "int64" },
      },
    });
  });

  test("names each operation's body after the operation, as GraphQL names inputs", () => {
    type Operation = {
      operationId: string;
      requestBody?: { content: Record<string, { schema: { $ref?: string } }> };
    };
    const paths = Object.values(document.paths as Record<string, Record<string, Operation>>);
    for (const { operationId, requestBody } of paths.flatMap((path) => Object.values(path))) {
      const { $ref } = requestBody?.content["application/json"]?.schema ?? {};
      const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Input`;
      if ($ref !== undefined) expect($ref).toBe(`#/components/schemas/${name}`);
    }
  });

  test("refers to parameters by their REST names", () => {
    expect(JSON.stringify(document).match(/[^"]*`(after|first|endCursor|input)`[^"]*/g)).toBeNull();
  });

  test("can be read by generators that know neither lists of types nor constants", () => {
    const faults: string[] = [];
    // biome-ignore lint/suspicious/noExplicitAny: a part of a JSON document
    const visit = (schema: any, path: string): void => {
      // Any value at all.
      if (Object.keys(schema).every((name) => name === "description")) return;
      const { $ref, type, oneOf, allOf, properties = {}, items } = schema;
      if ("const" in schema || "nullable" in schema || "anyOf" in schema) faults.push(`${path}: keyword`);
      if (![$ref, type].some((each) => typeof each === "string") && !oneOf && !allOf)
        faults.push(`${path}: type`);
      const isNullable = oneOf?.length === 2 && oneOf[1].type === "null";
      const areObjects = oneOf?.every(({ type }: { type?: string }) => type === "object");
      if (oneOf && !isNullable && !areObjects) faults.push(`${path}: oneOf`);
      for (const [name, each] of Object.entries(properties)) visit(each, `${path}.${name}`);
      for (const each of [...(oneOf ?? []), ...(allOf ?? []), ...(items ? [items] : [])]) visit(each, path);
    };
    let schemas = 0;
    JSON.stringify(document, (name, value) => {
      if (name === "schema") visit(value, JSON.stringify(value).slice(0, 80));
      schemas += Number(name === "schema");
      return value;
    });
    for (const [name, schema] of Object.entries(document.components.schemas)) visit(schema, name);
    expect(schemas).toBeGreaterThan(20);
    expect(faults).toEqual([]);
  });

  test("bounds every string, list and integer, except as test/openapi/owasp.yaml explains", () => {
    const unbounded: string[] = [];
    // biome-ignore lint/suspicious/noExplicitAny: a part of a JSON document
    const visit = (part: any, path: string): void => {
      if (typeof part !== "object" || part === null) return;
      const { type, format, enum: values, maxLength, minimum, maximum, maxItems } = part;
      const isBounded = {
        string: values !== undefined || maxLength > 0,
        integer: maximum >= minimum,
        array: maxItems > 0,
      }[type as string];
      if (isBounded === false) unbounded.push(format === "int64" ? format : path);
      for (const [name, each] of Object.entries(part))
        if (name !== "examples") visit(each, `${path}/${name}`);
    };
    visit(document, "");
    expect([...new Set(unbounded)].sort()).toEqual([
      "/components/schemas/AssumedContact/properties/locale/oneOf/0",
      "/components/schemas/AssumedContact/properties/timezone/oneOf/0",
      "/components/schemas/MoveConversationInput/properties/line",
      "/components/schemas/OpenConversationInput/properties/line/oneOf/0",
      "/components/schemas/PutContactInput/properties/locale/oneOf/0",
      "/components/schemas/PutContactInput/properties/timezone/oneOf/0",
      "/paths//agent/events/get/responses/200/content/text/event-stream/schema",
      "int64",
    ]);
    const { Pet, Contact, CreatePetInput } = document.components.schemas;
    expect(Pet.properties.name.maxLength).toBe(CreatePetInput.properties.name.maxLength);
    expect(Contact.properties.tags).toMatchObject({ type: "array", maxItems: MAX_TAGS });
  });

  test("describes errors once, and lists each operation's possible errors with their headers", () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path as object));
    const headersOf = (reference: { $ref: string }) =>
      Object.keys(document.components.responses[reference.$ref.split("/").at(-1) ?? ""].headers);
    for (const { responses, deprecated, security } of operations) {
      const takesKey = security === undefined;
      const statuses = Object.keys(responses).filter((status) => status >= "400");
      const always = ["400", "401", "408", "429", "431", "500", "503", ...(takesKey ? ["403"] : [])];
      expect(statuses).toEqual(expect.arrayContaining(always));
      expect(statuses).not.toContain("405");
      for (const status of statuses) {
        const headers = headersOf(responses[status]);
        expect(headers).toContain("X-Request-Id");
        expect({ status, has: headers.includes("RateLimit") }).toEqual({
          status,
          has: takesKey && !["401", "408", "421", "431"].includes(status),
        });
        expect({ status, has: headers.includes("Sunset") && headers.includes("Link") }).toEqual({
          status,
          has: deprecated === true && !["408", "431"].includes(status),
        });
      }
    }
    expect(document.components.schemas.Error.properties.code.enum).toContain("method_not_allowed");
  });

  test("has an Error for every rejection, and examples that fit their schemas", () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema({ ...document, $id: "openapi" });
    const checks = new Map<string, ValidateFunction>();
    const fits = (schema: object, value: unknown) => {
      const text = JSON.stringify(schema).replaceAll('"#/', '"openapi#/');
      const check = checks.get(text) ?? ajv.compile(JSON.parse(text));
      checks.set(text, check);
      return check(value);
    };
    // biome-ignore lint/suspicious/noExplicitAny: a part of a JSON document
    const resolved = (part: any) =>
      part.$ref ? document.components.responses[part.$ref.split("/").at(-1)] : part;
    let examples = 0;
    for (const path of Object.values(document.paths)) {
      for (const { requestBody, responses } of Object.values(path as object)) {
        const contents = [requestBody, ...Object.values(responses)].filter((each) => each !== undefined);
        // A 204 has no content.
        for (const { content } of contents.map(resolved).filter((each) => each.content !== undefined)) {
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
      }
    }
    expect(examples).toBeGreaterThan(30);
  });

  test("is readable and can be tried out at /docs, only from this server", async () => {
    const page = await gateway.rest("GET", "/docs", { token: null });
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page.text).not.toMatch(/https?:\/\//);
    const viewer = await gateway.rest("GET", "/docs/viewer.js", { token: null });
    expect(viewer.headers.get("content-type")).toContain("text/javascript");
    expect(viewer.text.length).toBeGreaterThan(100_000);
  });
});
