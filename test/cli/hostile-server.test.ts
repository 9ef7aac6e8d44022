import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { generate } from "selfsigned";
import { serverClient } from "../../src/cli/server-client";
import { runCli } from "../support/process";

const NOWHERE = "sqlite:/nowhere/gateway.sqlite";
const KEY = "hunter2";
const READ = ["orgs", "list"];
const CHANGE = ["agents", "add", "--slug", "x", "--name", "x"];
const MAYBE_CHANGED = ", and may have made the change";

/** Responds with a body and headers. */
const responding =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);
const withJson = (value: unknown) =>
  responding(200, JSON.stringify(value), { "content-type": "application/json" });
const withError = (error: object) => withJson({ errors: [error] });
const html = (status: number, headers: Record<string, string> = {}) =>
  responding(status, "<!doctype html><title>Sign in</title>", { "content-type": "text/html", ...headers });

/** Sends a body that never ends. */
const withoutEnd: RequestListener = (_, response) => {
  const megabyte = Buffer.alloc(2 ** 20, "x");
  const write = () => {
    while (!response.destroyed && response.write(megabyte));
  };
  response.writeHead(200, { "content-type": "application/json" }).on("drain", write);
  write();
};

const NOT_GRAPHQL = "responded with 200 and application/json instead of a GraphQL result";

let answers: RequestListener[] = [];
let server: Server;
let origin: string;
beforeAll(async () => {
  server = createServer((request, response) => answers.shift()?.(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const run = (args = READ, url = origin) => runCli(NOWHERE, args, "", { GATEWAY_URL: url, GATEWAY_KEY: KEY });

test.each<[name: string, answer: RequestListener, says: string, args?: string[]]>([
  ["a page", html(200), "responded with 200 and text/html instead of a GraphQL result"],
  ["a proxy's error", html(502), "responded with 502 and text/html instead of a GraphQL result"],
  ["a proxy's error to a change", html(502), `of a GraphQL result${MAYBE_CHANGED}`, CHANGE],
  ["a proxy's 401", html(401), "responded with 401 and text/html instead of a GraphQL result"],
  ["a proxy's 403 to a change", html(403), "and text/html instead of a GraphQL result\n", CHANGE],
  ["429 without a time", html(429), "responded with 429 and text/html"],
  ["503 for a negative time", html(503, { "retry-after": "-60" }), "responded with 503 and text/html"],
  ["503 to a change", html(503, { "retry-after": "0" }), `of a GraphQL result${MAYBE_CHANGED}`, CHANGE],
  ["nothing", responding(200, ""), "responded with 200 and nothing\n"],
  ["no content", responding(204, ""), "responded with 204 and nothing\n"],
  ["text", responding(200, "hello"), "responded with 200 and a body instead of a GraphQL result"],
  ["nested JSON", responding(200, "[".repeat(1_000_000)), "responded with 200 and a body"],
  ["a list", withJson([]), NOT_GRAPHQL],
  ["another object", withJson({ status: "ok" }), NOT_GRAPHQL],
  ["no data", withJson({ data: null }), NOT_GRAPHQL],
  ["data that is a text", withJson({ data: "first" }), NOT_GRAPHQL],
  ["data that is a list", withJson({ data: [{ slug: "first" }] }), NOT_GRAPHQL],
  ["another field", withJson({ data: { viewer: { id: "x" } } }), NOT_GRAPHQL],
  ["data with another status", responding(404, '{"data":{"organization":{}}}'), "responded with 404"],
  ["errors that are a text", withJson({ errors: "no" }), NOT_GRAPHQL],
  ["an error that is null", withJson({ data: { organization: {} }, errors: [null] }), NOT_GRAPHQL],
  ["an error without a message", withError({ message: 5 }), NOT_GRAPHQL],
  ["an unexpected null", withJson({ data: { organization: null } }), "sent an unexpected response ("],
  ["an unknown code", withError({ message: "No.", extensions: { code: "constructor" } }), ": No.\n"],
  ["odd problems", withError({ message: "No.", extensions: { problems: ["x"] } }), ": No.\n"],
  ["an endless response", withoutEnd, "sent more than 64 MB\n"],
  ["an endless response to a change", withoutEnd, `sent more than 64 MB${MAYBE_CHANGED}`, CHANGE],
  [
    "a response that is small only compressed",
    responding(200, gzipSync(Buffer.alloc(65 * 2 ** 20)), { "content-encoding": "gzip" }),
    "sent more than 64 MB\n",
  ],
  ["a closed connection", ({ socket }) => void socket.destroy(), "cannot be reached ("],
  ["a closed connection", ({ socket }) => void socket.destroy(), `reached${MAYBE_CHANGED} (`, CHANGE],
  ["another protocol", ({ socket }) => void socket.end("220 mail\r\n\r\n"), "cannot be reached ("],
  [
    "half a response",
    ({ socket }) => void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"),
    "did not send a complete response (",
  ],
])("%s ends the command with one clear line", async (_, answer, says, args = READ) => {
  answers = [answer];
  const ended = await run(args);
  expect(ended).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(/^gateway: [^\n]+\n$/) });
  expect(ended.stderr).toContain(says);
  expect(answers).toEqual([]);
});

test("a redirect is not followed, and its address is printed without the key", async () => {
  const elsewhere = jest.fn();
  for (const status of [301, 302, 307, 308]) {
    const location = `${origin}/elsewhere?key=${KEY}`;
    answers = [responding(status, "", { location }), elsewhere];
    const { code, stderr } = await run();
    const to = `${origin}/elsewhere?key=[redacted]`;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `gateway: ${origin} responded with ${status} and a redirect to ${to}, which is not followed\n`,
    });
  }
  expect(elsewhere).not.toHaveBeenCalled();
});

test("a read waits for a busy server without reading its long responses", async () => {
  const busy: RequestListener = (request, response) => {
    response.writeHead(503, { "retry-after": "0" });
    withoutEnd(request, Object.assign(response, { writeHead: () => response }));
  };
  answers = [busy, withJson({ data: { organization: { slug: "first" } } })];
  expect(await run()).toMatchObject({ code: 0, stdout: expect.stringContaining("first") });
});

test("a message is one line of limited length, without the key", async () => {
  answers = [
    ({ headers }, response) => {
      const message = `\u001b[2J\n${headers.authorization} ${"x".repeat(100_000)}`;
      response.writeHead(500, { "x-request-id": "r-1" });
      response.end(JSON.stringify({ errors: [{ message, extensions: { code: "internal_error" } }] }));
    },
  ];
  const { code, stderr } = await run();
  expect(code).toBe(1);
  expect(stderr).toMatch(/^gateway: \?\[2J Bearer \[redacted\] x{1900,2000} \(request r-1\)\n$/);
});

test("a server whose certificate is not trusted gets no key", async () => {
  const { cert, private: key } = await generate([{ name: "commonName", value: "127.0.0.1" }], {
    keyType: "ec",
  });
  const answer = jest.fn();
  const untrusted = createHttpsServer({ cert, key }, answer).listen(0, "127.0.0.1");
  await once(untrusted, "listening");
  const url = `https://127.0.0.1:${(untrusted.address() as AddressInfo).port}`;
  const stderr = `gateway: ${url} cannot be reached (self-signed certificate)\n`;
  expect(await run(CHANGE, url)).toMatchObject({ code: 1, stdout: "", stderr });
  const plain = origin.replace("http:", "https:");
  expect((await run(CHANGE, plain)).stderr).toContain(`gateway: ${plain} cannot be reached (`);
  expect(answer).not.toHaveBeenCalled();
  untrusted.close();
});

test("the command fails if the server does not respond in time", async () => {
  const within = jest
    .spyOn(AbortSignal, "timeout")
    .mockImplementation(() => AbortSignal.abort(new DOMException("", "TimeoutError")));
  const client = serverClient({ endpoint: new URL(origin), key: async () => KEY });
  const ask = await client.about({});
  await expect(ask("query { organization { slug } }")).rejects.toThrow(/ did not respond within 60 seconds$/);
  await expect(ask("mutation { x { id } }")).rejects.toThrow(
    `${origin} did not respond within 60 seconds${MAYBE_CHANGED}`,
  );
  within.mockRestore();
});
