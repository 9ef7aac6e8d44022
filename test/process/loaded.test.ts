import { execFileSync } from "node:child_process";
import { join } from "node:path";

const DIST = join(__dirname, "../../dist/src");

const START = `
  require("${DIST}/server-process.js");
  const config = require("${DIST}/config.js").loadConfig({});
  const requests = new (require("${DIST}/http/plugins/in-flight-requests.js").InFlightRequests)(() => {});
  require("${DIST}/http/server.js").createHttpServer(config, require("pino").pino({ level: "silent" }), requests)
    .then((app) => app.ready())
    .then(() => console.log(JSON.stringify(Object.keys(require.cache))));
`;

/** The packages whose files a process has loaded when its server is about to listen. */
function loadedPackages(): Set<string> {
  const files: string[] = JSON.parse(execFileSync(process.execPath, ["-e", START], { encoding: "utf8" }));
  return new Set(files.flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []));
}

test("the server loads neither the OpenTelemetry SDK nor formats of telephone numbers nor the client of a model nor MCP nor the driver of PostgreSQL nor a log for terminals before they are needed, nor JSON schemas", () => {
  const loaded = loadedPackages();
  expect(loaded).toContain("class-validator");
  expect([...loaded].filter((name) => name.startsWith("@opentelemetry/"))).toEqual(["@opentelemetry/api"]);
  expect(loaded).not.toContain("libphonenumber-js");
  expect(loaded).not.toContain("openai");
  expect([...loaded].filter((name) => name.startsWith("@modelcontextprotocol/"))).toEqual([]);
  expect(loaded).not.toContain("pg");
  expect(loaded).not.toContain("pino-pretty");
  expect(loaded).not.toContain("ajv");
  expect(loaded).not.toContain("@fastify/fast-json-stringify-compiler");
});
