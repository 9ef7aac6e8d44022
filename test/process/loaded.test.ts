import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqlite } from "../support/engines";
import { slowTest } from "../support/slow-test";

const DIST = join(__dirname, "../../dist/src");

const START = `
  const config = require("${DIST}/config.js").loadConfig(process.env);
  require("${DIST}/server-process.js")
    .startServer(config, require("pino").pino({ level: "silent" }))
    .then(() => process.exit());
`;

/** Prints the loaded modules as the last line when the process exits. */
const LIST_ON_EXIT = `
  import { writeSync } from "node:fs";
  import { createRequire } from "node:module";
  const { cache } = createRequire("/");
  process.on("exit", () => writeSync(2, "\\n" + JSON.stringify(Object.keys(cache))));
`;

/**
 * Runs Node.
 * @returns its exit code, and the packages and feature modules that it has loaded
 */
function run(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const preload = `data:text/javascript,${encodeURIComponent(LIST_ON_EXIT)}`;
  const { status, stderr } = spawnSync(process.execPath, ["--import", preload, ...args], {
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  const files: string[] = JSON.parse(stderr.slice(stderr.lastIndexOf("\n")));
  return {
    status,
    packages: [
      ...new Set(files.flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [])),
    ],
    features: files.filter((file) => file.startsWith(join(DIST, "features"))),
  };
}

slowTest("a listening server has not loaded modules that few requests need", async () => {
  const { url, drop } = await sqlite.createMigratedDatabase();
  const { status, packages, features } = run(["-e", START], { DATABASE_URL: url, PORT: "0" });
  await drop();
  expect(status).toBe(0);
  expect(features).not.toEqual([]);
  expect(packages).toContain("class-validator");
  expect(packages.filter((name) => /^@(opentelemetry|modelcontextprotocol)\//.test(name))).toEqual([
    "@opentelemetry/api",
  ]);
  const forFewRequests = [
    ...[
      "@apollo/usage-reporting-protobuf",
      "@fastify/fast-json-stringify-compiler",
      "ajv",
      "libphonenumber-js",
    ],
    ...["@marcbachmann/cel-js", "liquidjs", "nodemailer", "pg", "pino-pretty", "postal-mime"],
  ];
  expect(packages.filter((name) => forFewRequests.includes(name))).toEqual([]);
});

test.each([
  ["--version", 0],
  ["no-such-command", 2],
])("gateway %s answers without loading the services", (command, code) => {
  const { status, packages, features } = run([join(DIST, "cli/main.js"), ...command.split(" ")]);
  expect(status).toBe(code);
  expect(packages.sort()).toEqual(["commander", "reflect-metadata"]);
  expect(features).toEqual([]);
});

test("a command on a server loads neither the database nor GraphQL", () => {
  const { status, packages } = run(
    [join(DIST, "cli/main.js"), "--url", "http://127.0.0.1:1", "keys", "list"],
    {
      GATEWAY_KEY: "a_key",
    },
  );
  expect(status).toBe(1);
  expect(packages.sort()).toEqual(["commander", "reflect-metadata"]);
});

slowTest("gateway configuration test loads no services, so that it starts within half a second", () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-test-"));
  const file = join(folder, "document.json");
  const tests = [{ id: "t", now: "2026-11-02T09:00:00Z", situation: { type: "a" }, expect: { rule: "a" } }];
  const rules = [{ id: "a", on: "a", when: ["true"], do: [{ send: "hi" }] }];
  const templates = { hi: "Hi {{ contact.name }}" };
  writeFileSync(file, JSON.stringify({ format: 1, situations: { a: {} }, templates, rules, tests }));
  const { status, packages } = run([join(DIST, "cli/main.js"), "configuration", "test", file]);
  rmSync(folder, { recursive: true });
  expect(status).toBe(0);
  expect(packages.sort()).toEqual([
    ...["@marcbachmann/cel-js", "commander", "graphql", "liquidjs", "lossless-json", "lru-cache"],
    ...["reflect-metadata", "zod"],
  ]);
});
