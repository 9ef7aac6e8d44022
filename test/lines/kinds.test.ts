import type { InstanceKey } from "../../src/credentials/instance-key";
import { lineTarget, lineWithCredentials } from "../../src/features/lines/line-target";
import { auditLog } from "../support/audit";
import { lineClient, PUBLIC_URL } from "../support/lines";
import { addAgent, codeOf, firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";

const HOST = "93.184.215.14";
const EMAIL = {
  host: HOST,
  user: "mailer",
  password: "hunter2 and more",
  from: "Acme Support <Support@Acme.example>",
};

describeGateway({ engine: "one" }, (gateway) => {
  const client = lineClient(gateway);
  let names = 0;

  const uniqueName = () => `kind-${++names}`;
  const attempt = async (input: object) =>
    client.create({ agentId: await firstAgentId(gateway), name: uniqueName(), ...input });
  async function created(input: object) {
    const { id: agentId } = await addAgent(gateway);
    return (await client.create({ agentId, name: uniqueName(), ...input })).body.data.createLine;
  }
  const problemsOf = (reply: Awaited<ReturnType<typeof attempt>>) =>
    reply.body.errors[0].extensions.problems as { path: string; message: string }[];

  /** Returns a line's target, as read for a delivery. */
  async function targetOf(id: string) {
    const line = await gateway.services.database.read((reader) => lineWithCredentials(reader, id));
    if (line === null) throw new Error("no such line");
    return lineTarget(line, gateway.services.instanceKey);
  }
  const secret = async (id: string, generation: number) =>
    ((await gateway.services.instanceKey.current()) as InstanceKey).deriveSigningSecret(id, generation);

  test("a webhook line has a URL, an address kind, and a signing secret that is shown once", async () => {
    const { line, signingSecret } = await created({ settings: { webhook: { url: PUBLIC_URL } } });
    expect(line).toMatchObject({
      kind: "webhook",
      address: null,
      webhook: { url: PUBLIC_URL, addressKind: "phone" },
      email: null,
      whenUncertain: "retry",
      optOutReply: null,
      secretGeneration: 1,
      previousSecretUntil: null,
    });
    expect(signingSecret).toBe(await secret(line.id, 1));
    expect(await targetOf(line.id)).toEqual({ kind: "webhook", url: PUBLIC_URL, secrets: [signingSecret] });
    const [entry] = await auditLog(gateway, { targetId: line.id });
    expect(entry.changes).toEqual([
      { field: "kind", before: null, after: "webhook" },
      { field: "expireAfterSeconds", before: null, after: "259200" },
      { field: "url", before: null, after: PUBLIC_URL },
      { field: "addressKind", before: null, after: "phone" },
    ]);
  });

  test("an e-mail line has a server and a sender, and only its driver reads its password", async () => {
    const { line, signingSecret } = await created({
      settings: { email: EMAIL },
      whenUncertain: "fail",
      optOutReply: "You are out.",
    });
    const settings = {
      host: HOST,
      port: 587,
      security: "starttls",
      user: "mailer",
      from: EMAIL.from,
      subject: "New message",
    };
    expect(signingSecret).toBeNull();
    expect(line).toMatchObject({
      kind: "email",
      address: "Support@Acme.example",
      webhook: null,
      email: { ...settings, hasPassword: true },
      whenUncertain: "fail",
      optOutReply: "You are out.",
      secretGeneration: 0,
    });
    expect(await targetOf(line.id)).toEqual({ kind: "email", ...settings, password: EMAIL.password });
    const [entry] = await auditLog(gateway, { targetId: line.id });
    expect(entry.changes).toEqual([
      { field: "kind", before: null, after: "email" },
      { field: "expireAfterSeconds", before: null, after: "259200" },
      { field: "whenUncertain", before: null, after: "fail" },
      { field: "optOutReply", before: null, after: "You are out." },
      { field: "server", before: null, after: `${HOST}:587 (starttls)` },
      { field: "user", before: null, after: "mailer" },
      { field: "from", before: null, after: EMAIL.from },
      { field: "subject", before: null, after: "New message" },
      { field: "credentials", before: null, after: "stored" },
    ]);
  });

  test.each([
    ["tls", 465],
    ["starttls", 587],
    ["none", 25],
  ])("the port for %s is %d by default", async (security, port) => {
    const email = { host: HOST, from: "a@example.com", security };
    const { line } = await created({ settings: { email } });
    expect(line.email).toMatchObject({ port, user: null, hasPassword: false });
    expect((await created({ settings: { email: { ...email, port: 2525 } } })).line.email.port).toBe(2525);
  });

  test("a local line has no settings and no secret", async () => {
    const { line, signingSecret } = await created({});
    expect(line).toMatchObject({ kind: "local", address: null, webhook: null, email: null });
    expect(signingSecret).toBeNull();
    expect(await targetOf(line.id)).toEqual({ kind: "local" });
  });

  const hook = { url: PUBLIC_URL };
  const hookTo = (url: string) => ({ settings: { webhook: { url } } });
  const mail = (settings: object) => ({ settings: { email: { ...EMAIL, ...settings } } });
  test.each<[string, object, string]>([
    ["settings.webhook", { settings: {} }, "is required: pass exactly one of webhook and email"],
    ["settings.email", { settings: { webhook: hook, email: EMAIL } }, "is not allowed with webhook"],
    ["settings.email", { settings: { email: null } }, "must not be null"],
    ["settings.webhook.url", hookTo(""), "must not be empty"],
    ["settings.webhook.url", hookTo("ftp://example.com"), "http or https URL"],
    ["settings.webhook.url", hookTo("http://u:p@93.184.215.14/"), "user name or password"],
    ["settings.webhook.url", hookTo("http://127.0.0.1/"), "private or reserved"],
    ["settings.webhook.url", hookTo("http://[::ffff:10.0.0.1]/"), "private or reserved"],
    ["settings.webhook.url", hookTo("http://0x7f.1/"), "private or reserved"],
    ["settings.email.host", mail({ host: "10.0.0.1" }), "private or reserved"],
    ["settings.email.host", mail({ host: "mail example" }), "host name or an IP address"],
    ["settings.email.port", mail({ port: 0 }), "at least 1"],
    ["settings.email.port", mail({ port: 65_536 }), "at most 65535"],
    ["settings.email.user", mail({ user: null }), "both user and password"],
    ["settings.email.user", mail({ user: "a\r\nb" }), "control or invisible"],
    ["settings.email.password", mail({ password: null }), "both user and password"],
    ["settings.email.password", mail({ password: "x".repeat(1001) }), "at most 1000"],
    ["settings.email.from", mail({ from: "Acme" }), "must be an e-mail address"],
    ["settings.email.from", mail({ from: "a@b.example, c@d.example" }), "e-mail address"],
    ["settings.email.from", mail({ from: "a@b.example\r\nBcc: c@d.example" }), "e-mail address"],
    ["settings.email.subject", mail({ subject: "x".repeat(201) }), "at most 200"],
    ["settings.email.subject", mail({ subject: "a\nb" }), "control or invisible"],
    ["optOutReply", { optOutReply: "x".repeat(1001) }, "at most 1000"],
    ["optOutWords", { optOutWords: ["x".repeat(41)] }, "must be at most 20 words or phrases"],
    ["optOutWords", { optOutWords: ["..."] }, "must be at most 20 words or phrases"],
    ["optOutWords", { optOutWords: Array(21).fill("x") }, "must be at most 20 words or phrases"],
  ])("%s of %j is rejected", async (path, input, says) => {
    const reply = await attempt(input);
    expect([reply.status, codeOf(reply)]).toEqual([400, "invalid_request"]);
    const [problem] = problemsOf(reply);
    expect(problem?.path).toBe(`input.${path}`);
    expect(problem?.message).toContain(says);
    expect(reply.text).not.toContain(EMAIL.password);
  });

  describe("changes", () => {
    test("of the URL keep the secret, and a change to the same URL has no effect", async () => {
      const { line, signingSecret } = await created({ settings: { webhook: hook } });
      const url = `${PUBLIC_URL}/v2`;
      const changed = (await client.update({ id: line.id, webhook: { url } })).body.data.updateLine;
      expect(changed).toMatchObject({ webhook: { url, addressKind: "phone" }, version: 2 });
      expect(await targetOf(line.id)).toMatchObject({ url, secrets: [signingSecret] });
      const same = (await client.update({ id: line.id, webhook: { url } })).body.data.updateLine;
      expect(same.version).toBe(2);
      const [entry] = await auditLog(gateway, { targetId: line.id });
      expect(entry.changes).toEqual([{ field: "url", before: PUBLIC_URL, after: url }]);
    });

    test("keep the password unless it is passed, and the audit log only says that it changed", async () => {
      const { line } = await created({ settings: { email: EMAIL } });
      const update = async (email: object) =>
        (await client.update({ id: line.id, email })).body.data.updateLine.email;
      expect(await update({ subject: "Hello", from: "b@example.com" })).toMatchObject({
        subject: "Hello",
        from: "b@example.com",
        hasPassword: true,
      });
      expect(await targetOf(line.id)).toMatchObject({ password: EMAIL.password, subject: "Hello" });
      await update({ password: "another one" });
      expect(await targetOf(line.id)).toMatchObject({ user: "mailer", password: "another one" });
      expect(await update({ host: "93.184.215.15", port: 2525, password: "a third" })).toMatchObject({
        host: "93.184.215.15",
        port: 2525,
      });
      expect(await update({ user: null })).toMatchObject({ user: null, hasPassword: false });
      expect(await targetOf(line.id)).toMatchObject({ user: null, password: null });
      const entries = await auditLog(gateway, { targetId: line.id });
      const changes = entries.flatMap((entry: { changes: object[] }) => entry.changes);
      expect(changes.filter(({ field }: { field: string }) => field === "credentials")).toEqual([
        { field: "credentials", before: "stored", after: null },
        { field: "credentials", before: "stored", after: "replaced" },
        { field: "credentials", before: "stored", after: "replaced" },
        { field: "credentials", before: null, after: "stored" },
      ]);
      const [row] = await gateway.rows.query("select credentials from line where id = $1", [line.id]);
      expect(row.credentials).toBeNull();
    });

    test("of the encryption use its default port, and changes of only the port keep the encryption", async () => {
      const { line } = await created({ settings: { email: { host: HOST, from: "a@example.com" } } });
      const update = async (email: object) =>
        (await client.update({ id: line.id, email })).body.data.updateLine.email;
      expect(await update({ port: 2525 })).toMatchObject({ port: 2525, security: "starttls" });
      expect(await update({ security: "tls" })).toMatchObject({ port: 465, security: "tls" });
      expect(await update({ port: 2525 })).toMatchObject({ port: 2525, security: "tls" });
      expect(await update({ port: null })).toMatchObject({ port: 465, security: "tls" });
    });

    test.each<[string, object, string]>([
      ["email.password", { email: { host: "93.184.215.15" } }, "must be passed again"],
      ["email.password", { email: { port: 26 } }, "must be passed again"],
      ["email.password", { email: { security: "none" } }, "must be passed again"],
      ["email.host", { email: { host: "127.0.0.1", password: "x" } }, "private or reserved"],
      ["email.host", { email: { host: null } }, "must be a string"],
      ["email.from", { email: { from: "nobody" } }, "must be an e-mail address"],
      ["webhook", { webhook: hook }, "is not allowed for email lines"],
      ["optOutReply", { optOutReply: " " }, "must not be empty"],
    ])("of %s by %j are rejected", async (path, input, says) => {
      const { line } = await created({ settings: { email: EMAIL } });
      const reply = await client.update({ id: line.id, ...input });
      expect([reply.status, codeOf(reply)]).toEqual([400, "invalid_request"]);
      const [problem] = problemsOf(reply);
      expect(problem?.path).toBe(`input.${path}`);
      expect(problem?.message).toContain(says);
      expect(await targetOf(line.id)).toMatchObject({ host: HOST, port: 587, password: EMAIL.password });
    });

    test("that leave a user without a password, or the reverse, are rejected", async () => {
      const { line } = await created({ settings: { email: { host: HOST, from: "a@example.com" } } });
      const user = await client.update({ id: line.id, email: { user: "mailer" } });
      const password = await client.update({ id: line.id, email: { password: "x" } });
      expect([user, password].map((reply) => problemsOf(reply)[0]?.path)).toEqual([
        "input.email.password",
        "input.email.user",
      ]);
      const both = await client.update({ id: line.id, email: { user: "mailer", password: "x" } });
      expect(both.body.data.updateLine.email).toMatchObject({ user: "mailer", hasPassword: true });
    });

    test("of `whenUncertain` and of the reply to an opt-out are recorded, and null restores the defaults", async () => {
      const { line } = await created({});
      const changed = await client.update({ id: line.id, whenUncertain: "fail", optOutReply: "Bye." });
      expect(changed.body.data.updateLine).toMatchObject({ whenUncertain: "fail", optOutReply: "Bye." });
      const [entry] = await auditLog(gateway, { targetId: line.id });
      expect(entry.changes).toEqual([
        { field: "whenUncertain", before: "retry", after: "fail" },
        { field: "optOutReply", before: null, after: "Bye." },
      ]);
      const words = ["Arrêt", "abmelden"];
      const withWords = await client.update({ id: line.id, optOutWords: words });
      expect(withWords.body.data.updateLine).toMatchObject({ optOutWords: words });
      const same = await client.update({ id: line.id, optOutWords: words });
      expect(same.body.data.updateLine.version).toBe(withWords.body.data.updateLine.version);
      await client.update({ id: line.id, optOutWords: null });
      const cleared = await client.update({ id: line.id, whenUncertain: null, optOutReply: null });
      expect(cleared.body.data.updateLine).toMatchObject({ whenUncertain: "retry", optOutReply: null });
    });
  });

  test("a retry of a creation finds the first line and does not show its secret again", async () => {
    const input = {
      agentId: (await addAgent(gateway)).id,
      name: uniqueName(),
      settings: { webhook: hook },
      idempotencyKey: `retry ${names}`,
    };
    const first = (await client.create(input)).body.data.createLine;
    const second = (await client.create(input)).body.data.createLine;
    expect(first.signingSecret).toMatch(/^whsec_/);
    expect(second).toEqual({ line: first.line, signingSecret: null });
    const other = { ...input, settings: { webhook: { url: `${PUBLIC_URL}/other` } } };
    expect(codeOf(await client.create(other))).toBe("idempotency_key_reused");
  });

  test("a retry with another password is another request, and its record does not reveal the password", async () => {
    const input = {
      agentId: (await addAgent(gateway)).id,
      name: uniqueName(),
      settings: { email: EMAIL },
      idempotencyKey: `password ${names}`,
    };
    const first = (await client.create(input)).body.data.createLine;
    expect((await client.create(input)).body.data.createLine.line.id).toBe(first.line.id);
    const other = { ...input, settings: { email: { ...EMAIL, password: "guess" } } };
    expect(codeOf(await client.create(other))).toBe("idempotency_key_reused");
  });

  describe("a secret's rotation", () => {
    const DAY_MS = 24 * 60 * 60 * 1000;

    test("shows the new secret, and both are valid for a day", async () => {
      const { line, signingSecret: before } = await created({ settings: { webhook: hook } });
      const started = Date.now();
      const rotated = (await client.rotateSecret(line.id)).body.data.rotateLineSecret;
      const ends = Date.parse(rotated.line.previousSecretUntil) - DAY_MS;
      expect(ends).toBeGreaterThanOrEqual(started);
      expect(ends).toBeLessThanOrEqual(Date.now());
      expect(rotated.line).toMatchObject({ secretGeneration: 2, version: 2 });
      expect(rotated.signingSecret).toBe(await secret(line.id, 2));
      expect(await targetOf(line.id)).toMatchObject({ secrets: [rotated.signingSecret, before] });
      await gateway.rows.execute("update line set previous_until = $1 where id = $2", [
        new Date().toISOString(),
        line.id,
      ]);
      expect(await targetOf(line.id)).toMatchObject({ secrets: [rotated.signingSecret] });
      const [entry] = await auditLog(gateway, { targetId: line.id });
      expect(entry).toMatchObject({
        action: "line_secret_rotated",
        changes: [{ field: "secretGeneration", before: "1", after: "2" }],
      });
    });

    test("that follows another one ends the oldest secret, and concurrent ones show different secrets", async () => {
      const { line } = await created({ settings: { webhook: hook } });
      const replies = await Promise.all([1, 2, 3].map(() => client.rotateSecret(line.id)));
      const shown = replies.map(({ body }) => body.data.rotateLineSecret.signingSecret);
      expect(new Set(shown).size).toBe(3);
      const { secrets } = (await targetOf(line.id)) as { secrets: string[] };
      expect(secrets).toEqual([await secret(line.id, 4), await secret(line.id, 3)]);
      for (const each of secrets) expect(shown).toContain(each);
    });

    test("that is retried happens once and does not show the secret again", async () => {
      const { line } = await created({ settings: { webhook: hook } });
      const rotate = async (id: string) => client.rotateSecret(id, { idempotencyKey: "rotate once" });
      const first = (await rotate(line.id)).body.data.rotateLineSecret;
      const again = await rotate(line.id);
      expect(again.body.data.rotateLineSecret).toEqual({ line: first.line, signingSecret: null });
      expect(again.headers.get("idempotency-replayed")).toBe("true");
      const other = await created({ settings: { webhook: hook } });
      expect(codeOf(await rotate(other.line.id))).toBe("idempotency_key_reused");
    });

    test.each([
      ["local", {}],
      ["email", { settings: { email: EMAIL } }],
    ])("gives a line of the kind %s its first secret, without a previous one", async (_, input) => {
      const { line, signingSecret } = await created(input);
      expect([signingSecret, line.secretGeneration]).toEqual([null, 0]);
      const { rotateLineSecret } = (await client.rotateSecret(line.id)).body.data;
      expect(rotateLineSecret.signingSecret).toMatch(/^whsec_/);
      expect(rotateLineSecret.line).toMatchObject({ secretGeneration: 1, previousSecretUntil: null });
    });
  });
});

describeGateway(
  { engine: "any", env: { INSTANCE_KEY: "", ENVIRONMENT: "production" } },
  (gateway, engine) => {
    const isEmbedded = engine.name === "SQLite";

    test("without an instance key, lines that need it are rejected with its name, and others are created", async () => {
      const client = lineClient(gateway);
      const agentId = await firstAgentId(gateway);
      const plain = { host: HOST, from: "a@example.com" };
      for (const [name, input, needsKey] of [
        ["hook", { settings: { webhook: { url: PUBLIC_URL } } }, true],
        ["mail", { settings: { email: EMAIL } }, true],
        ["plain", { settings: { email: plain } }, false],
        ["here", {}, false],
      ] as const) {
        const reply = await client.create({ agentId, name, ...input });
        if (!needsKey || isEmbedded) expect(codeOf(reply)).toBeUndefined();
        else {
          expect([reply.status, codeOf(reply)]).toEqual([409, "conflict"]);
          expect(reply.body.errors[0].message).toContain("INSTANCE_KEY");
        }
      }
    });

    test("in production, URLs are https and mail servers are used with TLS", async () => {
      const client = lineClient(gateway);
      const agentId = await firstAgentId(gateway);
      const email = { host: HOST, from: "a@example.com", security: "none" };
      for (const [input, path] of [
        [
          { settings: { webhook: { url: PUBLIC_URL.replace("https", "http") } } },
          "input.settings.webhook.url",
        ],
        [{ settings: { email } }, "input.settings.email.host"],
      ] as const) {
        const reply = await client.create({ agentId, name: "rejected", ...input });
        expect(reply.body.errors[0].extensions.problems[0].path).toBe(path);
      }
      const line = (
        await client.create({ agentId, name: "tls", settings: { email: { ...email, security: "tls" } } })
      ).body.data.createLine.line;
      const reply = await client.update({ id: line.id, email: { security: "none" } });
      expect(reply.body.errors[0].extensions.problems[0].path).toBe("input.email.security");
    });
  },
);
