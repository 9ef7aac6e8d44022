import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { request as requestTls } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { generate } from "selfsigned";
import { sqlite, type TestDatabase } from "../support/engines";
import { endProcesses, secretsIn, startServer, type TestServer } from "../support/process";

const keyOf = (server: TestServer) => secretsIn(server.stdout())?.key ?? "";

describe("a server", () => {
  let directory: string;
  let database: TestDatabase;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "gateway-test-"));
    database = await sqlite.createMigratedDatabase();
  });
  afterEach(async () => {
    await endProcesses();
    await database.drop();
    await rm(directory, { recursive: true, force: true });
  });

  test("speaks HTTPS with the certificate of its settings", async () => {
    const certFile = join(directory, "cert.pem");
    const keyFile = join(directory, "key.pem");
    const pems = await generate([{ name: "commonName", value: "localhost" }], {
      keyType: "ec",
      extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }],
    });
    await Promise.all([writeFile(certFile, pems.cert), writeFile(keyFile, pems.private)]);

    const server = await startServer({
      DATABASE_URL: database.url,
      TLS_CERT_FILE: certFile,
      TLS_KEY_FILE: keyFile,
    });
    expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const get = requestTls(`${server.url}/agent/whoami`, {
      ca: await readFile(certFile),
      headers: { authorization: `Bearer ${keyOf(server)}` },
      agent: false,
    });
    get.end();
    const [response] = (await once(get, "response")) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    expect(JSON.parse(await text(response)).agent.slug).toBe("first-agent");
    expect((await server.stop()).code).toBe(0);
  });

  test("with HOST=localhost and otherwise defaults, it listens on one address, shows it, and is one process without traces", async () => {
    // Simulates a machine where the name has several addresses; these two exist without system settings.
    const names = `import dns from "node:dns";
      const { lookup } = dns;
      dns.lookup = (name, options, done) =>
        name === "localhost" && options.all
          ? done(null, ["127.0.0.1", "127.0.0.2"].map((address) => ({ address, family: 4 })))
          : lookup(name, options, done);`;
    const server = await startServer({
      DATABASE_URL: database.url,
      HOST: "localhost",
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(names)}`,
    });
    const { hostname, port } = new URL(server.url);
    const answers = async (host: string) =>
      await fetch(`http://${host}:${port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    for (const host of ["127.0.0.1", "127.0.0.2", "[::1]"]) {
      expect([host, await answers(host)]).toEqual([host, host === hostname]);
    }
    const headers = { traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01` };
    expect((await fetch(`${server.url}/v1/pets`, { headers })).status).toBe(401);
    const children = `/proc/${server.pid}/task/${server.pid}/children`;
    if (existsSync(children)) expect(await readFile(children, "utf8")).toBe("");
    const { code, stderr } = await server.stop();
    expect(code).toBe(0);
    expect(stderr).toContain("/v1/pets");
    expect(stderr).not.toMatch(/"worker"|trace_id/);
  });
});
