import { openRaw } from "../support/raw";
import { expectGraphQLError, expectRestError, sendRaw } from "../support/rejections";
import { describeGateway } from "../support/suite";

const LIMIT = 1024;

describeGateway(
  { engine: "one", env: { BODY_LIMIT_BYTES: String(LIMIT) }, strict: true, storesNothing: true },
  (gateway) => {
    const padded = (size: number) => "{}".padEnd(size);
    const headers = (operation: string) => [
      `${operation} HTTP/1.1`,
      `Authorization: Bearer ${gateway.key}`,
      "Content-Type: application/json",
    ];

    test.each(["/v1/pets", "/messages"])("POST %s with a body above the limit is 413", async (path) => {
      expectRestError(await gateway.rest("POST", path, { body: padded(LIMIT + 1) }), "payload_too_large");
      expectRestError(await gateway.rest("POST", path, { body: padded(LIMIT) }), "invalid_request");
    });

    test.each(["DELETE /agent/timers/1", "PUT /agent/contacts/1/tags/vip"])(
      "%s with a body above the limit is 413",
      async (operation) => {
        const reply = await sendRaw(gateway.url, headers(operation), padded(LIMIT + 1));
        expectRestError(reply, "payload_too_large");
      },
    );

    test("POST /graphql with a body above the limit is 413; a member's limit is a quarter higher", async () => {
      for (const [token, limit] of [
        [gateway.key, LIMIT],
        [gateway.owner, 1.25 * LIMIT],
      ] as const) {
        expectGraphQLError(
          await gateway.rest("POST", "/graphql", { body: padded(limit + 1), token }),
          "payload_too_large",
        );
      }
    });

    test("the limit counts bytes, not characters", async () => {
      const body = { name: "Rex", categoryId: 1, x: "é".repeat(LIMIT / 2) };
      expectRestError(await gateway.rest("POST", "/v1/pets", { body }), "payload_too_large");
    });

    test.each(["POST /v1/pets", "POST /messages", "DELETE /agent/timers/1"])(
      "%s in chunks above the limit is 413",
      async (operation) => {
        const chunk = `${LIMIT.toString(16)}\r\n${padded(LIMIT)}\r\n`;
        const lines = [...headers(operation), "Transfer-Encoding: chunked"];
        expectRestError(await sendRaw(gateway.url, lines, `${chunk}${chunk}0\r\n\r\n`), "payload_too_large");
      },
    );

    test.each([
      ["POST /v1/pets", "payload_too_large", "", padded(LIMIT + 1)],
      ["POST /graphql", "payload_too_large", "", padded(LIMIT + 1)],
      ["POST /mcp", "payload_too_large", "", padded(LIMIT + 1)],
      ["POST /mcp", "-32700", "{", ""],
      ["POST /unsubscribe/x", "payload_too_large", "", padded(20_000)],
    ])(
      "%s keeps the connection open after %s, for the rest of the body",
      async (operation, error, begin, rest) => {
        const { socket, until, received } = openRaw(gateway.url);
        const length = `Content-Length: ${begin.length + rest.length}`;
        socket.write([...headers(operation), "Host: localhost", length, "", begin].join("\r\n"));
        await until(error);
        socket.write(`${rest}GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n`);
        await until("200 OK");
        socket.destroy();
        expect(received().toLowerCase()).not.toContain("connection: close");
      },
    );

    test.each(["-1", "x", "1e3", "1, 2"])("Content-Length: %s is 400", async (length) => {
      const reply = await sendRaw(gateway.url, [...headers("POST /v1/pets"), `Content-Length: ${length}`]);
      expectRestError(reply, "invalid_request");
    });
  },
);
