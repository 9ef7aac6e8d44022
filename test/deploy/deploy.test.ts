import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { validate } from "dockerfile-utils";
import { parse } from "yaml";
import { loadConfig } from "../../src/config";
import { InstanceKey } from "../../src/credentials/instance-key";

const read = (file: string) => readFileSync(file, "utf8");

interface Service {
  image: string;
  user?: string;
  command?: string;
  environment: Record<string, string>;
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
  networks: string[];
  read_only: boolean;
  cap_drop: string[];
  security_opt: string[];
  deploy: { resources: { limits: Record<string, unknown> } };
}

const COMPOSE = read("deploy/compose.yaml");
const services: Record<string, Service> = parse(COMPOSE, { merge: true }).services;
const gateways = Object.entries(services).filter(([name]) => name.startsWith("gateway-"));

const DOCKERFILE = read("deploy/Dockerfile");
const { engines, scripts } = JSON.parse(read("package.json"));

/** All settings that the service reads. */
const SETTINGS = [...read("src/config.ts").matchAll(/^ {4}([A-Z][A-Z_]+): /gm)].map(([, name]) => name);

const filledIn = (environment: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replace(/\$\{(\w+):\?[^}]*\}/g, (_, variable) => {
        if (variable.endsWith("EMAIL")) return "owner@example.com";
        return variable === "INSTANCE_KEY" ? InstanceKey.generate() : "gateway.example.com";
      }),
    ]),
  );

/** The image's settings, as the service reads them. */
const imageEnvironment = Object.fromEntries(
  [...DOCKERFILE.matchAll(/^(?:ENV| {3}) +([A-Z_]+)=(\S+)/gm)].map(([, name, value]) => [name ?? "", value]),
);

describe("the Compose file", () => {
  test("gives the gateways existing settings with valid values", () => {
    expect(gateways.map(([name]) => name)).toEqual(["gateway-1", "gateway-2"]);
    for (const [, { environment }] of gateways) {
      expect(Object.keys(environment).filter((name) => !SETTINGS.includes(name))).toEqual([]);
      const config = loadConfig({ ...imageEnvironment, ...filledIn(environment) });
      expect(config).toMatchObject({ environment: "production", publicUrl: "https://gateway.example.com" });
      expect(config.databaseUrl).toMatch(/@database\/gateway$/);
    }
  });

  test("contains no secret, and does not start without one", () => {
    const variables = COMPOSE.match(/\$\{[^}]*\}/g) ?? [];
    expect(variables.length).toBeGreaterThanOrEqual(5);
    expect(variables.filter((variable) => !/^\$\{\w+:\?set it in /.test(variable))).toEqual([]);
    for (const { environment } of Object.values(services)) {
      const secrets = Object.entries(environment).filter(([name]) => /PASSWORD|SECRET|TOKEN/.test(name));
      expect(secrets.filter(([, value]) => !/^\$\{\w+:\?[^}]*\}$/.test(value))).toEqual([]);
    }
  });

  test("keeps no member's password in the environment, where it would stay permanently", () => {
    const names = Object.values(services).flatMap(({ environment }) => Object.keys(environment));
    expect(names).toContain("BOOTSTRAP_OWNER_EMAIL");
    expect(names).not.toContain("BOOTSTRAP_OWNER_PASSWORD");
  });

  test("passes the gateway role's password to psql in the environment, not in arguments that others can read", async () => {
    const folder = await mkdtemp(join(tmpdir(), "gateway-test-"));
    try {
      await writeFile(join(folder, "psql"), '#!/bin/sh\necho "arguments: $*"\ncat\n', { mode: 0o755 });
      const said = execFileSync("sh", ["deploy/postgres-init.sh"], {
        env: { PATH: `${folder}:${process.env.PATH}`, DATABASE_PASSWORD: "a-secret" },
        encoding: "utf8",
      });
      expect(said).toMatch(/^arguments: .*--username=postgres/);
      expect(said).not.toContain("a-secret");
      expect(said).toContain(
        "\\getenv password DATABASE_PASSWORD\nCREATE ROLE gateway LOGIN PASSWORD :'password';",
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("sends people to each gateway's port when all gateways are ready", () => {
    const { PORT } = imageEnvironment;
    const { proxy, database } = services;
    expect(DOCKERFILE).toContain(`\nEXPOSE ${PORT}\n`);
    expect(proxy?.environment.GATEWAYS).toBe(gateways.map(([name]) => `${name}:${PORT}`).join(" "));
    const ready = { condition: "service_healthy" };
    expect(proxy?.depends_on).toEqual(Object.fromEntries(gateways.map(([name]) => [name, ready])));
    expect(database?.healthcheck?.test).toContain("pg_isready");
    for (const [, { healthcheck, depends_on }] of gateways) {
      expect(healthcheck?.test.join(" ")).toContain(`http://127.0.0.1:${PORT}/readyz`);
      expect(depends_on).toEqual({ database: ready });
    }
  });

  test("sends all requests with a key to one gateway, and requests without a key to the least busy gateway", () => {
    expect(read("deploy/Caddyfile")).toMatch(/lb_policy header Authorization \{\s+fallback least_conn\s+\}/);
  });

  test("lets the gateways reach webhooks and mail servers, but keeps the database off the internet", () => {
    const { networks } = parse(COMPOSE);
    const reachesInternet = (service?: Service) =>
      service?.networks.some((name) => !networks[name]?.internal);
    expect(gateways.map(([, gateway]) => reachesInternet(gateway))).toEqual([true, true]);
    expect(reachesInternet(services.database)).toBe(false);
  });

  test("requests fewer connections from PostgreSQL than it allows", () => {
    const most = Number(/max_connections=(\d+)/.exec(services.database?.command ?? "")?.[1]);
    const pools = gateways.map(([, { environment }]) => Number(environment.DATABASE_POOL_SIZE));
    const [commandLine = 0] = pools;
    const reservedForSuperusers = 3;
    expect(pools.reduce((sum, size) => sum + size, commandLine + reservedForSuperusers)).toBeLessThan(most);
  });

  test.each(Object.entries(services))("gives %s what it needs and nothing else", (_, service) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
    expect(service.security_opt).toEqual(["no-new-privileges:true"]);
    expect(Object.keys(service.deploy.resources.limits).sort()).toEqual(["cpus", "memory", "pids"]);
    // The image has a version, or is built from this repository.
    expect(service.image).toMatch(/^(agent-petstore-gateway|[a-z]+:\d+\.\d+.*)$/);
  });
});

describe("the Dockerfile", () => {
  test("passes a linter", () => {
    expect(validate(DOCKERFILE).map(({ message }) => message)).toEqual([]);
  });

  test("runs on a Node release that the package supports", () => {
    const version = /^ARG NODE_VERSION=(\d+)\.(\d+)\.\d+$/m.exec(DOCKERFILE)?.slice(1).map(Number) ?? [];
    const least = /^>=(\d+)\.(\d+)$/.exec(engines.node)?.slice(1).map(Number) ?? [];
    const [major = 0, minor = 0] = version;
    const [leastMajor = Number.NaN, leastMinor = 0] = least;
    expect(major > leastMajor || (major === leastMajor && minor >= leastMinor)).toBe(true);
    // Releases with an even number get security fixes for years.
    expect(major % 2).toBe(0);
  });

  test("starts the service as npm start does, and not as root", () => {
    const command: string[] = JSON.parse(/^CMD (\[.*\])$/m.exec(DOCKERFILE)?.[1] ?? "[]");
    // npm start must also work on Node 20, which does not know this flag.
    const started = command.filter((argument) => argument !== "--disable-sigusr1").join(" ");
    // With `exec`, signals reach the server and not the shell. Windows' shell has no `exec`, and runs the second
    // command.
    expect(scripts.start).toBe(`exec ${started} || ${started}`);
    expect(/^USER (\S+)$/m.exec(DOCKERFILE)?.[1]).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });

  test("sets only existing settings", () => {
    const names = Object.keys(imageEnvironment).filter((name) => name !== "NODE_ENV");
    expect(names).toEqual(expect.arrayContaining(["HOST", "PORT", "DATABASE_URL"]));
    expect(names.filter((name) => !SETTINGS.includes(name))).toEqual([]);
    expect(loadConfig(imageEnvironment)).toMatchObject({ databaseUrl: "sqlite:/data/gateway.sqlite" });
  });
});
