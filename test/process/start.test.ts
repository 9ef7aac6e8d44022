import { loadConfig } from "../../src/config";
import { StartupError } from "../../src/errors";
import { onOneEngine } from "../support/engines";
import { databaseForEach, endProcesses, runServer, secretsIn, startServer } from "../support/process";

afterEach(endProcesses);

const whoami = (url: string, key: string) =>
  fetch(`${url}/agent/whoami`, { headers: { authorization: `Bearer ${key}` } });

onOneEngine((engine) => {
  const database = databaseForEach(engine, { empty: true });

  test("the first start prints an API key and the owner's sign-in, which work, and the second start prints and logs no secret", async () => {
    const first = await startServer({ DATABASE_URL: database.url });
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

    const second = await startServer({ DATABASE_URL: database.url });
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
});

/**
 * Reads settings that must be rejected.
 * @returns the error message of a start with these settings
 */
function complaintAbout(env: Record<string, string>): string {
  try {
    loadConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(StartupError);
    return (error as StartupError).message;
  }
  throw new Error(`accepted: ${JSON.stringify(env)}`);
}

// Reads the settings in this process, because starting a server would take a second. A later test checks that a server
// ends with such a line.
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
  ["RETENTION_EVENTS_DAYS", { RETENTION_EVENTS_DAYS: "hunter2" }],
  ["RETENTION_EVENTS_DAYS", { RETENTION_EVENTS_DAYS: "36501" }],
  ["BOOTSTRAP_OWNER_PASSWORD", { BOOTSTRAP_OWNER_PASSWORD: "hunter2" }],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", { OTEL_EXPORTER_OTLP_ENDPOINT: "hunter2:4317" }],
  [
    "OTEL_TRACES_SAMPLER",
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318", OTEL_TRACES_SAMPLER: "hunter2" },
  ],
  [
    "OTEL_TRACES_SAMPLER_ARG",
    { OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318", OTEL_TRACES_SAMPLER_ARG: "1.5" },
  ],
])("a wrong %s is named in one line, never with its value", (name, env) => {
  const complaint = complaintAbout(env);
  expect(complaint).toContain(name);
  expect(complaint).toMatch(/^.+$/);
  expect(complaint).not.toContain("hunter2");
});

test("a start that cannot succeed exits with code 1 and one line, which names the setting and not its value", async () => {
  const { code, stdout, stderr } = await runServer({ DATABASE_URL: "postgres://user:hunter2%@host/db" });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^gateway: .*DATABASE_URL.*\n$/);
  expect(stderr).not.toContain("hunter2");
});
