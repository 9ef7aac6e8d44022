import { sqlite } from "../support/engines";
import { sendBytes, statusesIn } from "../support/raw";
import { suiteGateway } from "../support/suite";

const BODY = '{"name":"Rex","categoryId":1}';
const IN_CHUNKS = `1d\r\n${BODY}\r\n0\r\n\r\n`;
/** A smuggled request, which a server behind a proxy must not mistake for the next one. */
const HIDDEN = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

describe("a request that two servers may interpret differently", () => {
  // Any well-formed host.
  const gateway = suiteGateway(sqlite, {
    env: { ENVIRONMENT: "production" },
    strict: true,
    storesNothing: true,
  });

  const post = (headers: string, body: string, version = "1.1") =>
    `POST /v1/pets HTTP/${version}\r\nHost: localhost\r\nAuthorization: Bearer ${gateway.key}\r\n` +
    `Content-Type: application/json\r\n${headers}\r\n\r\n${body}`;
  const chunked = (body: string) => post("Transfer-Encoding: chunked", body);
  const get = (headers: string, version = "1.1") =>
    `GET /agent/whoami HTTP/${version}\r\nAuthorization: Bearer ${gateway.key}\r\n${headers}\r\n\r\n`;

  test.each<[string, () => string]>([
    ["both lengths", () => post("Content-Length: 4\r\nTransfer-Encoding: chunked", `0\r\n\r\n${HIDDEN}`)],
    [
      "both lengths in the other order",
      () => post("Transfer-Encoding: chunked\r\nContent-Length: 4", `0\r\n\r\n${HIDDEN}`),
    ],
    ["two lengths", () => post("Content-Length: 29\r\nContent-Length: 4", BODY)],
    ["the same length twice", () => post("Content-Length: 29\r\nContent-Length: 29", BODY)],
    ["a list of lengths", () => post("Content-Length: 29, 29", BODY)],
    ["a length with a sign", () => post("Content-Length: +29", BODY)],
    ["a length in hexadecimal", () => post("Content-Length: 0x1d", BODY)],
    ["a length beyond 64 bits", () => post("Content-Length: 18446744073709551645", BODY)],
    ["an unknown transfer encoding", () => post("Transfer-Encoding: xchunked", IN_CHUNKS)],
    ["chunked before another encoding", () => post("Transfer-Encoding: chunked, identity", IN_CHUNKS)],
    ["another encoding before chunked", () => post("Transfer-Encoding: gzip, chunked", IN_CHUNKS)],
    ["chunked twice", () => post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", IN_CHUNKS)],
    ["the encoding identity", () => post("Transfer-Encoding: identity", IN_CHUNKS)],
    ["an empty encoding", () => post("Transfer-Encoding:", IN_CHUNKS)],
    ["a space before the colon", () => post("Transfer-Encoding : chunked", IN_CHUNKS)],
    ["a vertical tab before the encoding", () => post("Transfer-Encoding: \x0bchunked", IN_CHUNKS)],
    ["an encoding in HTTP/1.0", () => post("Transfer-Encoding: chunked", IN_CHUNKS, "1.0")],
    ["a chunk whose size is not a number", () => chunked(`zz\r\n${BODY}\r\n0\r\n\r\n`)],
    ["a chunk of a negative size", () => chunked(`-1d\r\n${BODY}\r\n0\r\n\r\n`)],
    ["a chunk beyond 64 bits", () => chunked(`1000000000000001d\r\n${BODY}\r\n0\r\n\r\n`)],
    ["a chunk that is longer than it says", () => chunked(`1\r\n${BODY}\r\n0\r\n\r\n`)],
    ["chunks with bare line feeds", () => chunked(`1d\n${BODY}\n0\n\n`)],
    ["a line feed in a chunk extension", () => chunked(`1d;a\nb\r\n${BODY}\r\n0\r\n\r\n`)],
    ["20 kB of chunk extensions", () => chunked(`1d;${"a".repeat(20_000)}\r\n${BODY}\r\n`)],
    [
      "bare line feeds",
      () => `GET /agent/whoami HTTP/1.1\nHost: localhost\nAuthorization: Bearer ${gateway.key}\n\n`,
    ],
    ["a header over two lines", () => get("Host: localhost\r\nX-Folded: a\r\n b")],
    [
      "a credential over two lines",
      () => get(`Host: localhost\r\nX: y\r\nAuthorization:\r\n Bearer ${gateway.key}`),
    ],
    ["a bare line feed in a header", () => get("Host: localhost\r\nX-Split: a\nX-Injected: b")],
    ["a bare carriage return in a header", () => get("Host: localhost\r\nX-Split: a\rX-Injected: b")],
    ["a NUL in a header", () => get("Host: localhost\r\nX-Nul: a\0b")],
    ["a NUL in the name of a header", () => get("Host: localhost\r\nX-\0: a")],
    ["a NUL in the path", () => "GET /health\0z HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    ["a space in the path", () => "GET /health z HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    ["a space before the first header", () => "GET /healthz HTTP/1.1\r\n Host: localhost\r\n\r\n"],
    ["the preface of HTTP/2", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["two hosts", () => get("Host: localhost\r\nHost: evil.example\r\nConnection: close")],
    ["the same host twice", () => get("Host: localhost\r\nhost: localhost\r\nConnection: close")],
    ["no host", () => get("Connection: close")],
    ["a host with a path", () => get("Host: localhost/x\r\nConnection: close")],
    ["a host with a user", () => get("Host: user@localhost\r\nConnection: close")],
    ["two hosts in one header", () => get("Host: localhost, evil.example\r\nConnection: close")],
    [
      "the key twice",
      () => get(`Host: localhost\r\nAuthorization: Bearer ${gateway.key}\r\nConnection: close`),
    ],
  ])("with %s is rejected with one 400, and the connection ends", async (_, request) => {
    const answers = await sendBytes(gateway.url, request());
    expect(statusesIn(answers)).toEqual([400]);
    expect(answers.toLowerCase()).toContain("\r\nconnection: close\r\n");
    expect(answers).toContain('"code":"invalid_request"');
  });

  test("201 headers are too many, whatever they contain", async () => {
    const request = (count: number) =>
      get(`Host: localhost\r\nConnection: close${"\r\nX: y".repeat(count - 3)}`);
    expect(statusesIn(await sendBytes(gateway.url, request(201)))).toEqual([431]);
    expect(statusesIn(await sendBytes(gateway.url, request(200)))).toEqual([200]);
  });

  test.each([
    "localhost",
    "localhost:4000",
    "127.0.0.1",
    "[::1]:4000",
    "my_service.internal",
    "xn--bcher-kva.example",
    "",
  ])("the host %j is valid", async (host) => {
    expect(statusesIn(await sendBytes(gateway.url, get(`Host: ${host}\r\nConnection: close`)))).toEqual([
      200,
    ]);
  });

  test("HTTP/1.0 needs no host", async () => {
    expect(statusesIn(await sendBytes(gateway.url, get("Connection: close", "1.0")))).toEqual([200]);
  });

  test("a credential in the trailers of a body is ignored", async () => {
    const request =
      "POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n" +
      `Transfer-Encoding: chunked\r\n\r\n1d\r\n${BODY}\r\n0\r\nAuthorization: Bearer ${gateway.key}\r\n\r\n`;
    expect(statusesIn(await sendBytes(gateway.url, request))).toEqual([401]);
  });

  test("pipelined requests are answered in order", async () => {
    const request = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
    const key = `Authorization: Bearer ${gateway.key}\r\n`;
    const answers = await sendBytes(
      gateway.url,
      `${request("/healthz")}${request("/agent/whoami", key)}${request("/agent/whoami")}${request("/nowhere", "Connection: close\r\n")}`,
    );
    expect(statusesIn(answers)).toEqual([200, 200, 401, 404]);
  });

  test("the body of a rejected request is not mistaken for the next request", async () => {
    const rejected =
      `DELETE /v1/pets HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}` +
      "GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    expect(statusesIn(await sendBytes(gateway.url, rejected))).toEqual([405, 404]);
  });
});
