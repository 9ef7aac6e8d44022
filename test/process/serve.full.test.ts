import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
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

  test("with HOST=localhost, it listens on one of its addresses, and shows that one", async () => {
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
    expect((await server.stop()).code).toBe(0);
  });

  test("returns a request ID that is suitable for logs, and replaces any other", async () => {
    const server = await startServer({ DATABASE_URL: database.url });
    const idFor = async (given?: string) => {
      const get = request(`${server.url}/healthz`, { agent: false });
      if (given !== undefined) get.setHeader("x-request-id", given);
      get.end();
      const [response] = (await once(get, "response")) as [IncomingMessage];
      response.resume();
      return response.headers["x-request-id"];
    };
    for (const fit of ["a", "trace-1:2.3_4", "x".repeat(64)]) expect(await idFor(fit)).toBe(fit);
    const own = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f-]{21}$/;
    for (const hostile of [
      undefined,
      "",
      "x".repeat(65),
      '{"level":60}',
      "a b",
      "<script>",
      "\u00e9",
      "a\tb",
    ]) {
      expect(await idFor(hostile)).toMatch(own);
    }
    const { stderr } = await server.stop();
    expect(stderr).toContain('"trace-1:2.3_4"');
    expect(stderr).not.toContain("<script>");
  });
});
