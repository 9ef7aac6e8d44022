import { sqlite } from "../support/engines";
import { openRaw, sendBytes, statusesIn } from "../support/raw";
import { suiteGateway } from "../support/suite";

const BODY = '{"name":"Rex","categoryId":1}';

describe("a client's demands on the connection", () => {
  const gateway = suiteGateway(sqlite, { strict: true });
  const head = (more: string[], token = gateway.key) =>
    [
      "POST /v1/pets HTTP/1.1",
      "Host: localhost",
      `Authorization: Bearer ${token}`,
      "Content-Type: application/json",
      `Content-Length: ${BODY.length}`,
      ...more,
      "\r\n",
    ].join("\r\n");

  test("a body that waits for 100 Continue is requested and accepted, and the connection stays open", async () => {
    const { socket, until, closed } = openRaw(gateway.url);
    socket.write(head(["Expect: 100-continue"]));
    await until("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write(BODY);
    await until('"name":"Rex"');
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    expect(statusesIn(await closed)).toEqual([201, 200]);
  });

  test("a body that waits for 100 Continue is not requested if its key is rejected", async () => {
    const answers = await sendBytes(
      gateway.url,
      head(["Expect: 100-continue", "Connection: close"], "nonsense"),
    );
    expect(statusesIn(answers)).toEqual([401]);
  });

  test.each(["something", "100-continue, something", "200-ok"])(
    "the expectation %j is ignored",
    async (expectation) => {
      const answers = await sendBytes(
        gateway.url,
        `${head([`Expect: ${expectation}`, "Connection: close"])}${BODY}`,
      );
      expect(statusesIn(answers)).toEqual([201]);
      expect(answers.toLowerCase()).toContain("\r\nx-request-id: ");
    },
  );

  test.each(["websocket", "h2c", "TLS/1.2"])("an upgrade to %s is ignored", async (protocol) => {
    const { socket, until, closed } = openRaw(gateway.url);
    socket.write(
      `GET /agent/whoami HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${gateway.key}\r\n` +
        `Connection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`,
    );
    await until('"first-agent"');
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    expect(statusesIn(await closed)).toEqual([200, 200]);
  });

  test("no tunnel is opened", async () => {
    for (const target of ["example.com:443", "/agent/whoami"]) {
      const answers = await sendBytes(gateway.url, `CONNECT ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      expect(statusesIn(answers).filter((status) => status < 400)).toEqual([]);
    }
  });

  test("TRACE echoes nothing", async () => {
    for (const path of ["/agent/whoami", "/graphql", "/nowhere"]) {
      const answers = await sendBytes(
        gateway.url,
        `TRACE ${path} HTTP/1.1\r\nHost: localhost\r\nX-Secret: hush\r\nConnection: close\r\n\r\n`,
      );
      expect(statusesIn(answers)[0]).toBeGreaterThanOrEqual(400);
      expect(answers).not.toContain("hush");
    }
  });

  test("OPTIONS * reveals nothing about routes", async () => {
    const answers = await sendBytes(
      gateway.url,
      "OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    );
    expect([200, 204, 404]).toContain(statusesIn(answers)[0]);
    expect(answers).not.toContain("/v1");
  });

  test.each(["http://localhost/agent/whoami", "http://evil.example/agent/whoami"])(
    "the absolute form %s is the same route",
    async (target) => {
      const answers = await sendBytes(
        gateway.url,
        `GET ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${gateway.key}\r\nConnection: close\r\n\r\n`,
      );
      expect(statusesIn(answers)).toEqual([200]);
    },
  );

  test("the link to the next page of an absolute form contains only its path", async () => {
    for (let i = 0; i < 2; i++) await gateway.rest("POST", "/messages", { body: { message: "hello" } });
    const answers = await sendBytes(
      gateway.url,
      `GET http://evil.example/messages?limit=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${gateway.key}\r\nConnection: close\r\n\r\n`,
    );
    expect(answers).toMatch(/\r\nlink: <\/messages\?limit=1&cursor=/i);
  });
});
