import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { auditLog } from "../support/audit";
import { sqlite } from "../support/engines";
import { INSTANCE_KEY, mint } from "../support/gateway";
import { lineClient, PUBLIC_URL } from "../support/lines";
import { ScriptedMailServer } from "../support/mail-server";
import { codeOf, firstAgentId } from "../support/people";
import { runCli } from "../support/process";
import { storedText } from "../support/stored-text";
import { describeGateway } from "../support/suite";

const EMAIL = { host: "93.184.215.14", user: "mailer", from: "a@example.com" };

describeGateway(
  { engine: "any", env: { LOG_LEVEL: "trace", ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" } },
  (gateway, engine) => {
    /** Every secret of a line that a client has seen or sent, by its description. */
    const secrets: Record<string, string> = { "the instance key": INSTANCE_KEY };
    const answers: string[] = [];

    /** Creates, changes, rotates and reads lines, including with mistakes. */
    async function liveThroughEverything() {
      const client = lineClient(gateway);
      const agentId = await firstAgentId(gateway);
      const webhook = { url: PUBLIC_URL };
      const hook = { agentId, name: "hook", settings: { webhook }, idempotencyKey: "hook" };
      const created = (await client.create(hook)).body.data.createLine;
      secrets["the first signing secret"] = created.signingSecret;
      const rotated = (await client.rotateSecret(created.line.id)).body.data.rotateLineSecret;
      secrets["the second signing secret"] = rotated.signingSecret;

      const password = (name: string) => {
        secrets[name] = `a secret ${name} ${Math.random()}`;
        return secrets[name];
      };
      const first = { ...EMAIL, password: password("password") };
      const mail = { agentId, name: "mail", settings: { email: first }, idempotencyKey: "mail" };
      const { line } = (await client.create(mail)).body.data.createLine;
      const change = (email: object) => client.update({ id: line.id, email });
      const replies = [
        await client.create(hook),
        await client.create(mail),
        await client.create({
          ...mail,
          settings: { email: { ...first, password: password("of another request") } },
        }),
        await client.create({
          ...mail,
          idempotencyKey: null,
          settings: { email: { ...first, password: password("of a taken name") } },
        }),
        await client.create({
          ...mail,
          name: "rejected",
          settings: { email: { ...first, password: password("rejected"), port: 0 } },
        }),
        await client.create({
          ...mail,
          name: "rejected",
          settings: { email: { ...first, pasword: password("misspelled") } },
        }),
        await change({ subject: "Hello" }),
        await change({ password: password("replacement") }),
        await change({ password: password("beside a mistake"), host: "10.0.0.1" }),
        await change({ user: null }),
        await change({ user: "mailer", password: password("last one") }),
        await client.update({ id: line.id, name: password("where the name belongs") }),
        await client.pause(line.id, "for a while"),
        await client.list(agentId),
        await gateway.rest("GET", "/agent/lines"),
        await gateway.rest("GET", "/agent/configuration"),
        await gateway.rest("GET", "/agent/lines", { token: (await mint(gateway)).secret }),
      ];
      replies.push(await testWithBadServer({ ...mail, name: "tested" }, password("told to a bad server")));
      answers.push(...replies.map(({ text, headers }) => text + JSON.stringify([...headers])));
      await gateway.rows.execute("ALTER TABLE line RENAME TO away");
      expect(codeOf(await change({ password: password("of a failure") }))).toBe("internal_error");
      await gateway.rows.execute("ALTER TABLE away RENAME TO line");
    }

    /** Tests a line whose mail server repeats the password in its replies. */
    async function testWithBadServer(mail: { name: string; settings: { email: object } }, password: string) {
      const server = await ScriptedMailServer.start({
        AUTH: `535 5.7.8 ${password} is wrong ${Buffer.from(`\0mailer\0${password}`).toString("base64")}`,
      });
      try {
        const email = {
          ...mail.settings.email,
          password,
          host: "127.0.0.1",
          port: server.port,
          security: "none",
        };
        const made = await lineClient(gateway).create({ ...mail, settings: { email }, idempotencyKey: null });
        const reply = await gateway.graphql(
          'mutation ($id: ID!) { testLine(input: { id: $id, to: "anna@example.com" }) { outcome code detail } }',
          { id: made.body.data.createLine.line.id },
          { token: gateway.owner },
        );
        expect(reply.body.data.testLine.code).toBe("auth");
        return reply;
      } finally {
        server.close();
      }
    }

    /** Returns a backup as kept by an operator. */
    async function backUp(): Promise<string> {
      const file = join(tmpdir(), `gateway-backup-${process.pid}-${Math.random()}`);
      expect((await runCli(gateway.databaseUrl, ["backup", file])).code).toBe(0);
      try {
        return await readFile(file, "latin1");
      } finally {
        await rm(file);
      }
    }

    test("no credential or signing secret is in responses, the log, the audit log, the database or its backup", async () => {
      await liveThroughEverything();
      const places = {
        answers: answers.join("\n"),
        log: gateway.log(),
        audit: JSON.stringify(await auditLog(gateway)),
        database: await storedText(gateway.databaseUrl),
        ...(engine === sqlite && { backup: await backUp() }),
      };
      // The places contain traces of the actions, so a secret in them would be found.
      for (const text of [places.answers, places.audit, places.database]) expect(text).toContain("mailer");
      expect(places.log).toContain("internal_error");
      expect(places.database).toContain("v1.");
      const found = Object.entries(places).flatMap(([place, text]) =>
        Object.entries(secrets)
          .filter(([, secret]) => formsOf(secret).some((form) => text.includes(form)))
          .map(([what]) => `${what} in the ${place}`),
      );
      expect(found).toEqual([]);
    });
  },
);

/**
 * Returns the forms that a secret might take: unchanged, in JSON, without its prefix, in hexadecimal, or encoded
 * again.
 */
function formsOf(secret: string): string[] {
  const bare = secret.replace(/^whsec_/, "");
  const bytes = Buffer.from(bare, "base64");
  return [
    bare,
    bare.replaceAll("/", "\\/"),
    Buffer.from(secret).toString("base64").replace(/=+$/, ""),
    ...(bytes.length === 32 ? [bytes.toString("hex"), bytes.toString("latin1")] : []),
  ];
}
