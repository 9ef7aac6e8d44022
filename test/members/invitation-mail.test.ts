import { loadConfig } from "../../src/config";
import { StartupError } from "../../src/errors";
import { sqlite } from "../support/engines";
import { startGateway, type TestGateway } from "../support/gateway";
import { MailServer, rejection } from "../support/mail-server";
import { invite } from "../support/people";

const servers: { close(): unknown }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const start = async (port: number, env = {}): Promise<TestGateway> => {
  const gateway = await startGateway(sqlite, {
    env: {
      SMTP_URL: `smtp://127.0.0.1:${port}?ignoreTLS=true`,
      MAIL_FROM: "The Gateway <gateway@example.com>",
      PUBLIC_URL: "https://gateway.example.com",
      ...env,
    },
    signInOwner: !("OIDC_ONLY" in env),
  });
  servers.push(gateway);
  return gateway;
};
const startMailServer = async (options?: Parameters<typeof MailServer.start>[0]) => {
  const server = await MailServer.start(options);
  servers.push(server);
  return server;
};

test("an invitation is sent by e-mail after it is stored", async () => {
  const stored: number[] = [];
  const mails = await startMailServer({
    onMail: async () => {
      const { database } = gateway.services;
      const [row] = await database.read((reader) => reader.query("select count(*) as n from invitation"));
      stored.push(Number(row.n));
    },
  });
  const gateway = await start(mails.port);
  const { link, mail } = await invite(gateway, { email: "ada@customer.test" });
  expect(mail).toBe("sent");
  expect(stored).toEqual([1]);
  expect(link).toMatch(/^https:\/\/gateway\.example\.com\/dashboard\/invitation#agi_/);
  const [{ email, to } = { email: undefined, to: [] }] = mails.received;
  expect(to).toEqual(["ada@customer.test"]);
  expect(email?.from).toMatchObject({ name: "The Gateway", address: "gateway@example.com" });
  expect(email?.subject).toMatch(/^Invitation to /);
  expect(email?.text?.split("\n")).toContain(link);
  expect(email?.text).toContain("expires after 72 hours. Later, sign in as ada@customer.test.");
});

test("with OIDC_ONLY, an invitation asks for a sign-in at the issuer, not for a password", async () => {
  const mails = await startMailServer();
  const gateway = await start(mails.port, {
    OIDC_ISSUER: "http://127.0.0.1:9",
    OIDC_CLIENT_ID: "gateway",
    OIDC_CLIENT_SECRET: "a secret of tests only, long enough",
    OIDC_NAME: "Example",
    OIDC_ONLY: "true",
  });
  await invite(gateway, { email: "ada@customer.test" });
  expect(mails.received[0]?.email?.text).toContain("Open this link to sign in with Example:");
});

test("a failed e-mail does not lose the link, and neither is in the log", async () => {
  let link = "";
  const mails = await startMailServer({ onMail: () => rejection(550, `rejected: ${link}`) });
  const gateway = await start(mails.port);
  const invited = await invite(gateway, { email: "ada@customer.test" });
  link = invited.link;
  const again = await invite(gateway, { email: "ada@customer.test" });
  expect([invited.mail, again.mail]).toEqual(["failed", "failed"]);
  expect(gateway.log()).toContain("could not send an invitation by e-mail");
  expect(gateway.log()).toContain("smtp_550");
  expect(gateway.log()).not.toContain("agi_");
  await mails.close();
  expect(await invite(gateway, { email: "bob@customer.test" })).toMatchObject({ mail: "failed" });
});

const settings = (env: Record<string, string>) => {
  try {
    return loadConfig(env).mail;
  } catch (error) {
    if (error instanceof StartupError) return error.message;
    throw error;
  }
};

test("the settings name a mail server, with TLS unless they say otherwise", () => {
  const from = "gateway@example.com";
  const of = (SMTP_URL: string, env = {}) => settings({ SMTP_URL, MAIL_FROM: from, ...env });
  expect(of("smtp://user%40x:p%3Aw@mail.example.com")).toEqual({
    host: "mail.example.com",
    port: 587,
    security: "starttls",
    user: "user@x",
    password: "p:w",
    from,
  });
  expect(of("smtps://mail.example.com")).toMatchObject({ port: 465, security: "tls" });
  expect(of("smtp://[::1]:25?ignoreTLS=true")).toMatchObject({ host: "::1", port: 25, security: "none" });
  expect(settings({})).toBeUndefined();
  for (const bad of [
    "mail.example.com",
    "http://x",
    "smtp://",
    "smtp://x/y",
    "smtp://x?tls=no",
    "smtp://%zz@x",
  ])
    expect(of(bad)).toMatch(/^SMTP_URL must be smtp:/);
  for (const MAIL_FROM of ["x", "a@b, c@d", "Name <a@b", "A\nB <a@b>"])
    expect(of("smtp://x", { MAIL_FROM })).toMatch(/^MAIL_FROM must be/);
  expect(settings({ SMTP_URL: "smtp://x" })).toBe("SMTP_URL and MAIL_FROM must be set together");
  expect(of("smtp://x", { ENVIRONMENT: "production" })).toBe(
    "SMTP_URL requires PUBLIC_URL for the links in e-mails",
  );
});

test.each([
  [{}, undefined],
  [{ PUBLIC_URL: "https://gateway.example.com:8443/x" }, "gateway.example.com"],
  [{ PUBLIC_URL: "http://192.0.2.1" }, "[192.0.2.1]"],
  [{ PUBLIC_URL: "http://[2001:db8::1]:4000" }, "[IPv6:2001:db8::1]"],
  [{ PUBLIC_URL: "https://a_b.example.com" }, undefined],
  [{ PUBLIC_URL: "https://gateway.example.com", SMTP_HELO: "mail.example.com" }, "mail.example.com"],
])("the name for mail servers with %j is %p", (env, name) => {
  expect(loadConfig(env).heloName).toBe(name);
});

test.each(["a b", "-a.example.com", "a\r\nRSET", "192.0.2.1]"])(
  "SMTP_HELO %j is rejected at the start",
  (SMTP_HELO) => {
    expect(() => loadConfig({ SMTP_HELO })).toThrow("SMTP_HELO must be a host name");
  },
);
