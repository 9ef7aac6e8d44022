import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../src/config";
import { Database } from "../../src/database/database";
import { StartupError } from "../../src/errors";
import { createDataSource } from "../../src/features";
import { Agent } from "../../src/features/agents/agent.entity";
import { ApiKey } from "../../src/features/api-keys/api-key.entity";
import { Member } from "../../src/features/members/member.entity";
import { Organization } from "../../src/features/organizations/organization.entity";
import { onEachEngine, sqlite } from "../support/engines";
import { databaseForEach, endProcesses, runServer, secretsIn, startServer } from "../support/process";

afterEach(endProcesses);

const whoami = (url: string, key: string) =>
  fetch(`${url}/agent/whoami`, { headers: { authorization: `Bearer ${key}` } });

onEachEngine((engine) => {
  const place = databaseForEach(engine);

  test("the first start prints an API key and the owner's sign-in, which work, and the second prints and logs no secret", async () => {
    const first = await startServer({ DATABASE_URL: place.url });
    const secrets = secretsIn(first.stdout());
    if (secrets === undefined) throw new Error(`no secrets in ${first.stdout()}`);
    expect(first.stdout()).toContain(`Dashboard      ${first.url}/dashboard\n`);
    expect((await whoami(first.url, secrets.key)).status).toBe(200);
    const signIn = await fetch(`${first.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        query: "mutation ($input: SignInInput!) { signIn(input: $input) { token member { email } } }",
        variables: { input: { email: secrets.email, password: secrets.password } },
      }),
    });
    const { data } = (await signIn.json()) as { data: { signIn: { token: string; member: object } } };
    const { token, member } = data.signIn;
    expect(member).toEqual({ email: secrets.email });
    const firstEnd = await first.stop();
    expect(firstEnd).toMatchObject({ code: 0, signal: null });

    const second = await startServer({ DATABASE_URL: place.url });
    expect(secretsIn(second.stdout())).toBeUndefined();
    expect(second.stdout()).not.toContain("agk_");
    expect(second.stdout()).toContain(`Dashboard at ${second.url}/dashboard\n`);
    expect((await whoami(second.url, secrets.key)).status).toBe(200);
    const secondEnd = await second.stop();

    for (const { stderr } of [firstEnd, secondEnd]) {
      for (const secret of [secrets.password, secrets.key, token, "Bearer"])
        expect(stderr).not.toContain(secret);
      for (const line of stderr.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("level");
    }
  });

  test("of servers that start concurrently on an empty database one makes the first rows and prints the secrets, and all serve", async () => {
    const count = { SQLite: 2, PostgreSQL: 4 }[engine.name];
    const starting = Array.from({ length: count }, () => startServer({ DATABASE_URL: place.url }));
    const servers = await Promise.all(starting);
    const printed = servers.flatMap((server) => secretsIn(server.stdout()) ?? []);
    expect(printed).toHaveLength(1);
    for (const { url } of servers) expect((await whoami(url, printed[0]?.key ?? "")).status).toBe(200);
    const ends = await Promise.all(servers.map((server) => server.stop()));
    expect(ends.map(({ code }) => code)).toEqual(servers.map(() => 0));

    const database = await Database.open(createDataSource(place.url));
    try {
      const first = [Organization, Agent, Member, ApiKey];
      const counts = first.map((entity) => database.read((reader) => reader.count(entity)));
      expect(await Promise.all(counts)).toEqual(first.map(() => 1));
    } finally {
      await database.close();
    }
  });
});

/** Reads settings, which must fail. @returns what a start with them says */
function complaintAbout(env: Record<string, string>): string {
  try {
    loadConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(StartupError);
    return (error as StartupError).message;
  }
  throw new Error(`accepted: ${JSON.stringify(env)}`);
}

// Read in this process, as a server takes a second to find out; that it ends with such a line is below.
test.each<[string, Record<string, string>]>([
  ["PORT", { PORT: "http-hunter2" }],
  ["PORT", { PORT: "65536" }],
  ["DATABASE_URL", { DATABASE_URL: "mysql://user:hunter2@host/db" }],
  ["DATABASE_URL", { DATABASE_URL: "postgres://user:hunter2%@host/db" }],
  ["DATABASE_URL", { DATABASE_URL: "postgres://user:hunter2/@host/db" }],
  ["ENVIRONMENT", { ENVIRONMENT: "hunter2" }],
  ["LOG_LEVEL", { LOG_LEVEL: "hunter2" }],
  ["GRAPHQL_INTROSPECTION", { GRAPHQL_INTROSPECTION: "hunter2" }],
  ["TLS_CERT_FILE and TLS_KEY_FILE", { TLS_KEY_FILE: "/etc/hunter2.pem" }],
  ["PUBLIC_URL", { PUBLIC_URL: "https://user:hunter2@gateway.example.com" }],
  ["CORS_ORIGINS", { CORS_ORIGINS: "https://app.example.com,https://*.hunter2.com" }],
  ["CORS_ORIGINS", { CORS_ORIGINS: "https://app.example.com?hunter2" }],
  ["BODY_LIMIT_BYTES", { BODY_LIMIT_BYTES: "1MB" }],
  ["WORKERS", { WORKERS: "0" }],
  ["WORKERS", { WORKERS: "-1" }],
  ["WORKERS", { WORKERS: "1.5" }],
  ["WORKERS", { WORKERS: "hunter2" }],
  ["WORKERS", { WORKERS: "1000000000" }],
  ["BOOTSTRAP_OWNER_PASSWORD", { BOOTSTRAP_OWNER_PASSWORD: "hunter2" }],
])("a wrong %s is named in one line, never with its value", (name, env) => {
  const complaint = complaintAbout(env);
  expect(complaint).toContain(name);
  expect(complaint).toMatch(/^.+$/);
  expect(complaint).not.toContain("hunter2");
});

describe("a start that cannot succeed ends with code 1 and one line", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "gateway-test-"));
  });
  afterEach(async () => {
    await endProcesses();
    await rm(directory, { recursive: true, force: true });
  });

  /** @returns the line, after checking that it is one */
  async function lineOf(env: Record<string, string>): Promise<string> {
    const { code, stderr, stdout } = await runServer({
      DATABASE_URL: `sqlite:${join(directory, "gateway.sqlite")}`,
      ...env,
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^gateway: .+\n$/);
    return stderr;
  }

  test("that names the setting which is wrong, and never its value", async () => {
    const line = await lineOf({ DATABASE_URL: "postgres://user:hunter2%@host/db" });
    expect(line).toContain("DATABASE_URL");
    expect(line).not.toContain("hunter2");
  });

  test("that names the certificate files which are missing or are none", async () => {
    const file = join(directory, "no.pem");
    const files = { TLS_CERT_FILE: file, TLS_KEY_FILE: file };
    const missing = await lineOf(files);
    expect(missing).toContain("TLS_CERT_FILE");
    expect(missing).toContain(file);
    await writeFile(file, "no certificate");
    expect(await lineOf(files)).toContain("TLS_CERT_FILE");
  });

  test("that names the database file which cannot be used", async () => {
    const garbage = join(directory, "garbage");
    const folder = join(directory, "folder");
    await writeFile(garbage, "not a database ".repeat(1000));
    await mkdir(folder);
    const files = [garbage, folder, join(garbage, "below", "gateway.sqlite")];
    const lines = await Promise.all(files.map((file) => lineOf({ DATABASE_URL: `sqlite:${file}` })));
    lines.forEach((line, i) => {
      expect(line).toContain(`sqlite:${files[i]}`);
    });
  });

  test("that names the PostgreSQL which cannot be reached, without the password", async () => {
    const port = await unusedPort();
    const line = await lineOf({ DATABASE_URL: `postgres://user:hunter2@127.0.0.1:${port}/pets` });
    expect(line).toContain(`postgres://127.0.0.1:${port}/pets`);
    expect(line).not.toContain("hunter2");
  });

  test("that names the PostgreSQL which refuses the sign-in, without the password", async () => {
    const url = new URL(`${process.env.TEST_POSTGRES_URL}/no_such_database`);
    const { host } = url;
    url.password = "hunter2";
    const line = await lineOf({ DATABASE_URL: url.href });
    expect(line).toContain(`postgres://${host}/no_such_database`);
    expect(line).not.toContain("hunter2");
  });

  test("that names the port which is in use, and the next start still shows the secrets of the first", async () => {
    const place = await sqlite.createDatabase();
    const taken = createServer().listen(0, "127.0.0.1");
    try {
      await once(taken, "listening");
      const { port } = taken.address() as AddressInfo;
      const line = await lineOf({ DATABASE_URL: place.url, PORT: String(port), LOG_LEVEL: "silent" });
      expect(line).toContain(`port ${port} is in use; set PORT`);
      const server = await startServer({ DATABASE_URL: place.url });
      expect(secretsIn(server.stdout())).toBeDefined();
      await server.stop();
    } finally {
      taken.close();
      await place.drop();
    }
  });
});

async function unusedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
