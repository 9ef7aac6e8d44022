import { expectRestError, sendRaw } from "../support/rejections";
import { describeGateway } from "../support/suite";

const bytes = (...parts: (string | number)[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from([part]))));

describeGateway({ engine: "one", strict: true, storesNothing: true }, (gateway) => {
  describe.each(["/v1/pets", "/messages"])("POST %s", (path) => {
    test.each<[string, string | Uint8Array]>([
      ["an empty body", ""],
      ["only whitespace", " \n "],
      ["text that is not JSON", "name=Rex"],
      ["truncated JSON", '{"name":"Rex","categoryId":1'],
      ["text after the JSON", '{"name":"Rex","categoryId":1} x'],
      ["two JSON objects", '{"name":"Rex","categoryId":1}{"message":"Hello"}'],
      ["a trailing comma", '{"name":"Rex","categoryId":1,}'],
      ["single quotes", "{'name':'Rex','categoryId':1}"],
      ["a comment", '{"name":"Rex",/* seven */"categoryId":7}'],
      ["NaN", '{"name":"Rex","categoryId":NaN}'],
      ["a number beyond doubles' range", '{"name":"Rex","categoryId":1e400}'],
      ["a number beyond doubles' precision", '{"name":"Rex","categoryId":9007199254740993.5}'],
      ["a fraction that rounds to 1", '{"name":"Rex","categoryId":1.0000000000000001}'],
      ["a fraction that rounds up to 1", '{"name":"Rex","categoryId":0.99999999999999999999}'],
      ["a fraction that rounds to 2^52", '{"name":"Rex","categoryId":4503599627370496.5}'],
      ["a fraction that rounds to 0", '{"name":"Rex","categoryId":1e-400}'],
      ["a number of a million digits", `{"name":"Rex","categoryId":${"9".repeat(1_000_000)}}`],
      ["a bare NUL in a string", '{"name":"R\0x","message":"R\0x","categoryId":1}'],
      ["a bare line feed in a string", '{"name":"R\nx","message":"R\nx","categoryId":1}'],
      ["an unknown escape", '{"name":"\\x52","message":"\\x52","categoryId":1}'],
      [
        "a member twice with two values",
        '{"name":"A","name":"B","message":"A","message":"B","categoryId":1}',
      ],
      ["bytes that are not UTF-8", bytes('{"message":"', 0xff, '","name":"', 0xff, '","categoryId":1}')],
      ["an overlong encoding", bytes('{"message":"', 0xc0, 0xaf, '","name":"Rex","categoryId":1}')],
      ["a surrogate in UTF-8", bytes('{"message":"', 0xed, 0xa0, 0x80, '","name":"Rex","categoryId":1}')],
      ["UTF-16", Buffer.from('{"name":"Rex","message":"Hello","categoryId":1}', "utf16le")],
      ["lists 100,000 levels deep", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
      ["objects 100,000 levels deep", `${'{"name":'.repeat(100_000)}1${"}".repeat(100_000)}`],
    ])("with %s is 400 invalid_json", async (_, body) => {
      expectRestError(await gateway.rest("POST", path, { body }), "invalid_json");
    });

    test.each(["[]", '[{"name":"Rex","categoryId":1}]', '"text"', "1", "true", "9223372036854775807"])(
      "with the JSON %s, which is not an object, is 400",
      async (body) => {
        const reply = await gateway.rest("POST", path, { body });
        expectRestError(reply, "invalid_request");
        expect(reply.body.message).toMatch(/^body /);
      },
    );

    test("with null lacks the same members as with {}", async () => {
      const [none, empty] = await Promise.all(
        ["null", "{}"].map((body) => gateway.rest("POST", path, { body })),
      );
      expect(empty?.body.message).toMatch(/^(name|message) is required/);
      expect(none?.body).toEqual(empty?.body);
    });

    test.each([
      "idempotencyKey",
      "id",
      "agentId",
      "__proto__",
      "constructor",
      "toString",
      "hasOwnProperty",
      "Name",
      "name ",
      "",
      "🐕",
      "x".repeat(5000),
    ])("with the unknown member %j is 400", async (name) => {
      const known = path === "/messages" ? '"message":"Hello"' : '"name":"Rex","categoryId":1';
      for (const value of ['"text"', "null", '{"status":"sold"}']) {
        const reply = await gateway.rest("POST", path, {
          body: `{${known},${JSON.stringify(name)}:${value}}`,
        });
        expectRestError(reply, "invalid_request");
        expect(reply.text).toContain("is not known");
        expect(reply.text.length).toBeLessThan(300);
      }
    });

    test("with its members inside __proto__ is 400", async () => {
      const body = '{"__proto__":{"name":"Rex","categoryId":1,"message":"Hello"}}';
      expectRestError(await gateway.rest("POST", path, { body }), "invalid_request");
    });

    test("without any body is 400", async () => {
      const line = `POST ${path} HTTP/1.1`;
      const headers = [`Authorization: Bearer ${gateway.key}`, "Content-Type: application/json"];
      expectRestError(await sendRaw(gateway.url, [line, ...headers]), "invalid_json");
    });

    test("with an empty object names every missing member", async () => {
      const { body } = await gateway.rest("POST", path, { body: {} });
      for (const name of path === "/messages" ? ["message"] : ["name", "categoryId"]) {
        expect(body.message).toContain(`${name} is required`);
      }
    });
  });
});
