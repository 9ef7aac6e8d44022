import { createHash } from "node:crypto";
import { Permission } from "../../src/auth/permissions";
import { INITIAL_DOCUMENT } from "../../src/features/configuration/initial-document";
import { agentClient } from "../support/agents";
import { configurationClient } from "../support/configuration";
import { mint, operator, type Reply } from "../support/gateway";
import { lineClient, PUBLIC_URL } from "../support/lines";
import { addMember, addOrganization, codeOf, openSession } from "../support/people";
import { describeGateway } from "../support/suite";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

const DOCUMENT = {
  templates: { hello: "Grüezi 😀\n{{ contact.name }}" },
  rules: [{ on: "*", id: "a", when: ["1.0 < 2.0"], do: [{ send: "hello", delaySeconds: 1e1 }] }],
  format: 1,
};
/** The canonical form of the document, written by hand from RFC 8785. */
const CANONICAL =
  '{"format":1,"rules":[{"do":[{"delaySeconds":10,"send":"hello"}],"id":"a","on":"*","when":["1.0 < 2.0"]}],' +
  '"templates":{"hello":"Grüezi 😀\\n{{ contact.name }}"}}';

const OTHER = { format: 1, rules: [{ id: "b", on: "*", do: [{ handoff: "b" }] }] };

describeGateway({ engine: "one" }, (gateway) => {
  let configurations: ReturnType<typeof configurationClient>;
  beforeAll(() => {
    configurations = configurationClient(gateway);
  });

  test("organizations take turns at checks, however many checks of one organization wait", async () => {
    await addOrganization(gateway, "modest");
    const { configurations: service } = gateway.services;
    const order: string[] = [];
    const check = async (slug: string) => {
      const context = await operator(gateway, slug);
      return () => service.check(context, DOCUMENT).then(() => order.push(slug));
    };
    const [greedy, modest] = [await check("first"), await check("modest")];
    await Promise.all([...Array.from({ length: 20 }, greedy), modest()]);
    expect(order.indexOf("modest")).toBe(2);
  });

  async function newAgent() {
    const { id, slug } = await agentClient(gateway).add();
    return { id, key: (await mint(gateway, { agent: slug })).secret };
  }

  /** Saves a document as the draft of an agent without a draft, and publishes it. */
  async function publish(agentId: string, document: unknown, expectedLiveVersion: number) {
    await configurations.save(agentId, document, 0);
    const { body } = await configurations.publish(agentId, { expectedLiveVersion });
    return body.data.publishConfiguration;
  }

  test("a key reads the live version through both APIs, with a digest that it can recompute", async () => {
    const { id, key } = await newAgent();
    await publish(id, DOCUMENT, 1);
    const rest = await gateway.rest("GET", "/agent/configuration", { token: key });
    expect(rest.body).toEqual({
      version: 2,
      digest: sha256(CANONICAL),
      publishedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      publishedBy: gateway.ownerCredentials.email,
      document: DOCUMENT,
      lines: [{ name: "main", kind: "local", state: "active", isDefault: true }],
      decider: { kind: "rules" },
    });
    const byKey = (await configurations.read(undefined, undefined, { token: key })).body.data.configuration;
    expect(byKey).toEqual({
      ...rest.body,
      lines: [{ ...rest.body.lines[0], address: null }],
      decider: { kind: "rules", model: null },
      note: null,
      restoredFrom: null,
    });
    expect((await configurations.read(id)).body.data.configuration).toEqual(byKey);
    const first = await gateway.rest("GET", "/agent/configuration/1", { token: key });
    expect(first.body).toMatchObject({ version: 1, document: INITIAL_DOCUMENT });
    expect((await configurations.read(id, 1)).body.data.configuration).toMatchObject(first.body);
  });

  test.each([
    ["3", 404, "not_found"],
    ["0", 404, "not_found"],
    ["-1", 404, "not_found"],
    ["live", 400, "invalid_request"],
    ["1.5", 400, "invalid_request"],
    ["2147483648", 400, "invalid_request"],
  ])("the version %s does not exist: %d", async (version, status, code) => {
    const { status: got, body } = await gateway.rest("GET", `/agent/configuration/${version}`);
    expect([got, body.code]).toEqual([status, code]);
  });

  test("members check, save, publish and roll back, and see what was published when", async () => {
    const { id } = await newAgent();
    const saved = (await configurations.save(id, DOCUMENT, 0)).body.data.saveConfigurationDraft;
    expect(saved).toEqual({
      draft: { revision: 1, basedOn: 1, updatedBy: gateway.ownerCredentials.email },
      check: { problems: [], warnings: [] },
    });
    expect((await configurations.draft(id)).body.data.configurationDraft).toMatchObject({
      document: DOCUMENT,
      revision: 1,
    });
    const note = "says hello";
    const published = await configurations.publish(id, { expectedLiveVersion: 1, note });
    expect(published.body.data.publishConfiguration).toMatchObject({ version: 2, note, restoredFrom: null });
    expect((await configurations.draft(id)).body).toEqual({ data: { configurationDraft: null } });
    await publish(id, OTHER, 2);
    const back = await configurations.publish(id, { expectedLiveVersion: 3, fromVersion: 2 });
    expect(back.body.data.publishConfiguration).toMatchObject({
      version: 4,
      digest: sha256(CANONICAL),
      restoredFrom: 2,
    });
    const page = (await configurations.versions(id, { first: 3 })).body.data.configurationVersions;
    expect(page.nodes.map((each: { version: number }) => each.version)).toEqual([4, 3, 2]);
    const next = await configurations.versions(id, { after: page.pageInfo.endCursor });
    expect(next.body.data.configurationVersions).toMatchObject({
      nodes: [{ version: 1, publishedBy: gateway.ownerCredentials.email }],
      pageInfo: { hasNextPage: false },
    });
    const foreign = await gateway.graphql("{ pets { pageInfo { endCursor } } }");
    for (const after of ["x", foreign.body.data.pets.pageInfo.endCursor ?? "MQ"])
      expect(codeOf(await configurations.versions(id, { after }))).toBe("invalid_cursor");
  });

  test("a document is published instead of the draft, and is always checked, unlike an earlier version", async () => {
    const { id } = await newAgent();
    await configurations.save(id, OTHER, 0);
    const made = await configurations.publish(id, { expectedLiveVersion: 1, document: DOCUMENT });
    expect(made.body.data.publishConfiguration).toMatchObject({ version: 2, restoredFrom: null });
    expect((await configurations.draft(id)).body.data.configurationDraft.document).toEqual(OTHER);
    const invalid = { expectedLiveVersion: 2, document: { format: 0 } };
    for (const publication of [invalid, { ...invalid, fromVersion: 1 }, { ...invalid, expectedRevision: 1 }])
      expect(codeOf(await configurations.publish(id, publication))).toBe("invalid_request");
  });

  test("problems have their path and position when a document is checked, saved and published", async () => {
    const { id } = await newAgent();
    const document = {
      format: 1,
      situations: { order: { total: "double" } },
      templates: { unused: "x" },
      rules: [{ id: "a", on: "order", when: ["true", "situation.data.totl > 1.0"] }],
    };
    const check = {
      problems: [
        {
          path: "rules[0].when[1]",
          message: expect.stringContaining("totl"),
          position: { line: 1, column: 16 },
        },
      ],
      warnings: [{ path: "templates.unused", message: "is not used", position: null }],
    };
    expect((await configurations.check(document)).body.data.checkConfiguration).toEqual(check);
    expect((await configurations.save(id, document, 0)).body.data.saveConfigurationDraft.check).toEqual(
      check,
    );
    const { status, body } = await configurations.publish(id, { expectedLiveVersion: 1 });
    expect([status, body.errors[0].extensions]).toEqual([
      400,
      {
        code: "invalid_request",
        problems: [
          { path: "rules[0].when[1]", message: expect.stringMatching(/totl.* \(line 1, column 16\)$/) },
        ],
      },
    ]);
  });

  test("a saved document is compared with the lines of its agent", async () => {
    const { id } = await newAgent();
    const lines = lineClient(gateway);
    const newLine = async (name: string): Promise<string> =>
      (await lines.create({ agentId: id, name, settings: { webhook: { url: PUBLIC_URL } } })).body.data
        .createLine.line.id;
    await lines.pause(await newLine("sms"));
    await lines.archive(await newLine("old"));
    const otherwise = ["main", "sms", "old"].map((line) => ({ send: "a", line }));
    const { check } = (await configurations.save(id, { format: 1, templates: { a: "a" }, otherwise }, 0)).body
      .data.saveConfigurationDraft;
    expect(check).toMatchObject({
      problems: [],
      warnings: [
        { path: "otherwise[1].line", message: "is a paused line: its messages wait" },
        { path: "otherwise[2].line", message: "is not a line in use: the agent has main, sms" },
      ],
    });
  });

  test.each([
    ["a list", []],
    ["a text", "{}"],
    ["an integer that parsers round", { format: 9007199254740993n }],
    ["too large", { format: 1, rules: ["x".repeat(256 * 1024)] }],
    ["not well-formed Unicode", { format: 1, templates: { a: "\ud800" } }],
  ])("a document that is %s is not saved", async (_, document) => {
    const { id } = await newAgent();
    const body = JSON.stringify(
      {
        query:
          "mutation ($id: ID!, $document: JSONObject!) { saveConfigurationDraft(input: { agentId: $id, document: $document, expectedRevision: 0 }) { draft { revision } } }",
        variables: { id, document },
      },
      (_, value) => (typeof value === "bigint" ? `<${value}>` : value),
    ).replace(/"<(\d+)>"/, "$1");
    const reply = await gateway.graphql("", {}, { body, token: gateway.owner });
    expect([reply.status, codeOf(reply)]).toEqual([400, "invalid_request"]);
    expect((await configurations.draft(id)).body).toEqual({ data: { configurationDraft: null } });
  });

  test("a document of 256 KiB is checked, saved, published and read back", async () => {
    const { id, key } = await newAgent();
    const templates = Object.fromEntries(Array.from({ length: 13 }, (_, i) => [`t${i}`, "é".repeat(9_950)]));
    const room =
      256 * 1024 - Buffer.byteLength(JSON.stringify({ format: 1, templates: { ...templates, z: "" } }));
    const document = { format: 1, templates: { ...templates, z: "z".repeat(room) } };
    expect(Buffer.byteLength(JSON.stringify(document))).toBe(256 * 1024);
    const { problems, warnings } = (await configurations.check(document)).body.data.checkConfiguration;
    expect([problems, warnings.length]).toEqual([[], 14]);
    await publish(id, document, 1);
    const { body } = await gateway.rest("GET", "/agent/configuration", { token: key });
    expect(body.document).toEqual(document);
    const larger = { ...document, templates: { ...document.templates, z: "z".repeat(room + 1) } };
    expect((await configurations.check(larger)).body.data.checkConfiguration.problems).toEqual([
      { path: "", message: "must have at most 262144 bytes as JSON", position: null },
    ]);
  });

  test("a key sees only its own agent's configuration, even within its organization", async () => {
    const [one, other] = [await newAgent(), await newAgent()];
    await publish(one.id, OTHER, 1);
    const versionOf = async (token: string) =>
      (await gateway.rest("GET", "/agent/configuration", { token })).body.version;
    expect([await versionOf(one.key), await versionOf(other.key)]).toEqual([2, 1]);
    const second = await gateway.rest("GET", "/agent/configuration/2", { token: other.key });
    expect(second.status).toBe(404);
    for (const agentId of [one.id, other.id]) {
      const reply = await configurations.read(agentId, undefined, { token: other.key });
      expect(codeOf(reply)).toBe("invalid_request");
    }
    const reader = await addMember(gateway, { permissions: [Permission.conversations_read] });
    const token = await openSession(gateway, reader);
    expect(codeOf(await configurations.read(one.id, undefined, { token }))).toBe("forbidden");
  });

  test("no response contains a credential or the target of a line", async () => {
    const { id, key } = await newAgent();
    const lines = lineClient(gateway);
    const login = { user: "the-mailer", password: "the password" };
    const email = { host: "93.184.215.14", ...login, from: "a@example.com" };
    const webhook = { url: PUBLIC_URL };
    const hook = await lines.create({ agentId: id, name: "hook", settings: { webhook } });
    await lines.create({ agentId: id, name: "mail", settings: { email } });
    const withKey = (text: string) => ({ format: 1, templates: { a: text }, otherwise: [{ send: "a" }] });
    const leaks = [withKey(`Use ${key}.`), { format: 1, situations: { a: { [key]: "int" } } }];
    const replies: Reply[] = [];
    for (const leak of leaks) {
      const save = await configurations.save(id, leak, 0);
      expect(codeOf(save)).toBe("invalid_request");
      const check = await configurations.check(leak);
      expect(check.body.data.checkConfiguration.problems).toContainEqual(
        expect.objectContaining({ message: "must not contain an API key or a session token" }),
      );
      const note = await configurations.publish(id, { expectedLiveVersion: 1, fromVersion: 1, note: key });
      expect(codeOf(note)).toBe("invalid_request");
      replies.push(save, check, note);
    }
    replies.push(
      await configurations.save(id, withKey("Hello."), 0),
      await configurations.draft(id),
      await configurations.publish(id, { expectedLiveVersion: 1, note: "hello" }),
      await configurations.versions(id),
      await configurations.read(id),
      await configurations.read(undefined, undefined, { token: key }),
      await gateway.rest("GET", "/agent/configuration", { token: key }),
    );
    expect(replies.at(-1)?.body.lines).toEqual([
      { name: "hook", kind: "webhook", state: "active", isDefault: false },
      { name: "mail", kind: "email", address: "a@example.com", state: "active", isDefault: false },
      { name: "main", kind: "local", state: "active", isDefault: true },
    ]);
    const secrets = [hook.body.data.createLine.signingSecret, PUBLIC_URL, "93.184", key, gateway.owner];
    for (const secret of [...secrets, email.user, email.password]) {
      expect(secret).toEqual(expect.any(String));
      for (const { text } of replies) expect(text).not.toContain(secret);
    }
  });

  test("editors get the JSON Schema of documents without a key", async () => {
    const path = "/agent/configuration/schema";
    const { status, headers, body } = await gateway.rest("GET", path, { token: null });
    expect([status, headers.get("content-type")]).toEqual([200, "application/schema+json; charset=utf-8"]);
    expect(body).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      properties: { format: { const: 1 }, rules: { maxItems: 200 } },
      additionalProperties: false,
    });
    const posted = await gateway.rest("POST", path, { token: null });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });
});
