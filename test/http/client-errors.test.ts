import { sqlite } from "../support/engines";
import { openRaw, sendBytes } from "../support/raw";
import { suiteGateway } from "../support/suite";

describe("a connection without a valid request", () => {
  const gateway = suiteGateway(sqlite, { env: { REQUEST_TIMEOUT_SECONDS: "1" } });

  test.each<[string, number, string, string]>([
    ["bytes that are not HTTP", 400, "invalid_request", "\x16\x03\x01\x02\x00\r\n\r\n"],
    ["an unknown version", 400, "invalid_request", "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n"],
    [
      "headers over 16 KiB",
      431,
      "header_fields_too_large",
      `GET / HTTP/1.1\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
    ],
    [
      "a path that cannot be decoded",
      404,
      "not_found",
      "GET /%ZZ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    ],
    ["half of the headers", 408, "request_timeout", "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "],
  ])("of %s is answered %i with an ID, which is in the log once", async (_, status, code, bytes) => {
    // Sent twice, because a throttled log would contain only one of the errors.
    for (const answer of await Promise.all([sendBytes(gateway.url, bytes), sendBytes(gateway.url, bytes)])) {
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*"code":"${code}"`, "s"));
      const [, id] = /^x-request-id: ([\da-f-]{36})\r$/m.exec(answer) ?? [];
      const lines = gateway
        .log()
        .split("\n")
        .filter((line) => line.includes(`"${id}"`));
      expect(lines.map((line) => JSON.parse(line))).toEqual([
        expect.objectContaining({ reqId: id, status, code, ip: "127.0.0.1", msg: "request" }),
      ]);
    }
  });

  test("is logged without anything that the client sent", async () => {
    await sendBytes(gateway.url, `GET /${gateway.key} HTTP/9.9\r\nX: ${gateway.key}\r\n\r\n`);
    expect(gateway.log()).not.toContain(gateway.key);
  });

  test("of a client that has disconnected is not answered, but the next one is", async () => {
    const { socket, closed } = openRaw(gateway.url);
    socket.write("nonsense\r\n\r\n");
    socket.destroy();
    await closed;
    expect((await gateway.rest("GET", "/healthz", { token: null })).status).toBe(200);
  });
});
