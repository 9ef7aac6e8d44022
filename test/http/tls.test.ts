import { once } from "node:events";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import type { FastifyInstance } from "fastify";
import pino from "pino";
import { generate } from "selfsigned";
import { loadConfig } from "../../src/config";
import { InFlightRequests } from "../../src/http/plugins/in-flight-requests";
import { createHttpServer } from "../../src/http/server";
import { renewTls } from "../../src/http/tls";
import { routeHandshakes } from "../../src/http/websocket-handshakes";
import { sendBytes } from "../support/raw";
import { waitUntil } from "../support/wait-until";

interface Files {
  certFile: string;
  keyFile: string;
}

/** Created once, because each takes a while. */
const certificate = (name: string) => generate([{ name: "commonName", value: name }], { keyType: "ec" });

describe("a server for HTTPS", () => {
  let directory: string;
  let files: Files;
  let app: FastifyInstance;
  let port: number;
  const put = async ({ keyFile, certFile }: Files, name: string) => {
    const { cert, private: key } = await certificate(name);
    await writeFile(keyFile, key);
    await writeFile(certFile, cert);
  };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "gateway-test-"));
    files = { certFile: join(directory, "cert.pem"), keyFile: join(directory, "key.pem") };
    await put(files, "first");
    const config = loadConfig({ TLS_CERT_FILE: files.certFile, TLS_KEY_FILE: files.keyFile });
    app = await createHttpServer(config, pino({ level: "silent" }), new InFlightRequests(() => {}));
    const handshakes = routeHandshakes(app, "/graphql", config);
    app.get("/graphql", async ({ raw }) => ({ isHandshake: handshakes.has(raw) }));
    await app.listen({ port: 0, host: "127.0.0.1" });
    port = (app.server.address() as AddressInfo).port;
  });
  afterAll(async () => {
    await app.close();
    await rm(directory, { recursive: true });
  });

  const open = async (options: ConnectionOptions = {}): Promise<TLSSocket> => {
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ...options });
    await once(socket, "secureConnect");
    return socket;
  };

  test.each([
    ["websocket", true],
    ["h2c", false],
  ])("routes an upgrade to %s: a handshake of a WebSocket is %s", async (protocol, isHandshake) => {
    const socket = await open();
    socket.write(
      `GET /graphql HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`,
    );
    const [answer] = await once(socket, "data");
    expect(String(answer)).toMatch(/^HTTP\/1.1 200 /);
    expect(String(answer)).toContain(JSON.stringify({ isHandshake }));
    socket.destroy();
  });

  test.each(["TLSv1.2", "TLSv1.3"] as const)("speaks %s, with forward secrecy", async (version) => {
    const socket = await open({ minVersion: version, maxVersion: version });
    expect(socket.getProtocol()).toBe(version);
    expect(socket.getCipher().name).toMatch(version === "TLSv1.3" ? /^TLS_AES/ : /^ECDHE-ECDSA-.*GCM/);
    socket.destroy();
  });

  test.each(["TLSv1", "TLSv1.1"] as const)("does not speak %s", async (version) => {
    const old = { minVersion: version, maxVersion: version, ciphers: "DEFAULT:@SECLEVEL=0" };
    await expect(open(old)).rejects.toThrow();
  });

  test.each([
    "AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES128-SHA",
    "ECDHE-ECDSA-AES128-SHA256",
    "NULL-SHA256",
    "ADH-AES128-GCM-SHA256",
  ])("rejects the cipher %s", async (cipher) => {
    await expect(open({ maxVersion: "TLSv1.2", ciphers: `${cipher}:@SECLEVEL=0` })).rejects.toThrow();
  });

  test("does not renegotiate", async () => {
    const socket = await open({ maxVersion: "TLSv1.2" });
    const failed = new Promise<Error | null>((resolve) => {
      socket.on("error", resolve);
      socket.renegotiate({ rejectUnauthorized: false }, resolve);
    });
    expect(await failed).toHaveProperty("message");
    socket.destroy();
  });

  test("tells browsers to keep using HTTPS", async () => {
    const socket = await open();
    socket.write("GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    await once(socket, "close");
    expect(answer).toContain("HTTP/1.1 404");
    expect(answer).toContain("strict-transport-security: max-age=15552000\r\n");
  });

  test("disconnects plain HTTP clients, and keeps serving", async () => {
    const answer = await sendBytes(
      `http://127.0.0.1:${port}`,
      "GET /v1/pets HTTP/1.1\r\nHost: localhost\r\n\r\n",
    );
    expect(answer).not.toContain("HTTP/1.1 2");
    (await open()).destroy();
  });

  test("loads a renewed certificate without a restart, and keeps the old one while the new one is incomplete", async () => {
    const said: string[] = [];
    const log = { info: (text: string) => said.push(text), warn: () => said.push("not renewed") };
    const heard = async (text: string, since: number) => {
      await waitUntil(() => said.slice(since).includes(text));
    };
    const nameOf = async () => {
      const socket = await open();
      const { subject } = socket.getPeerCertificate();
      socket.destroy();
      return subject.CN;
    };
    const hooks: (() => Promise<void>)[] = [];
    const watched = {
      server: app.server,
      log,
      addHook: (_: string, hook: () => Promise<void>) => hooks.push(hook),
    };
    // The server already watches its own files, and Node checks a file only as often as its first watcher requested.
    const renewed = { certFile: join(directory, "renewed.pem"), keyFile: join(directory, "renewed-key.pem") };
    await copyFile(files.keyFile, renewed.keyFile);
    await copyFile(files.certFile, renewed.certFile);
    renewTls(watched as unknown as FastifyInstance, renewed, 20);
    const open1 = await open();
    expect(await nameOf()).toBe("first");
    await writeFile(renewed.certFile, "-----BEGIN CERT");
    await heard("not renewed", 0);
    expect(await nameOf()).toBe("first");
    const before = said.length;
    await put(renewed, "second");
    await heard("reloaded the certificate from TLS_CERT_FILE", before);
    expect(await nameOf()).toBe("second");
    // An open connection continues with its certificate.
    open1.write("GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    expect(String((await once(open1, "data"))[0])).toContain("HTTP/1.1 404");
    for (const stop of hooks) await stop();
  });
});
