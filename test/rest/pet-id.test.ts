import type { TestGateway } from "../support/gateway";
import { expectRestError, sendRaw } from "../support/rejections";
import { describeGateway } from "../support/suite";

describeGateway({ engine: "one", strict: true, storesNothing: true }, (gateway) => {
  test.each([
    "1",
    "0",
    "-1",
    "-0",
    "+1",
    "01",
    "1.5",
    "1.0",
    "1e3",
    "0x1",
    "text",
    "null",
    "undefined",
    "NaN",
    "true",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "9".repeat(100),
    "9".repeat(101),
    "%31%20",
    "%00",
    "1%00",
    "%ZZ",
    "%",
    "%E0%A4%A",
    "%FF",
    "%2F",
    "%2e%2e",
    "1%3Bx",
    "1;x",
    "'",
    "1'%20OR%201=1",
    "__proto__",
    "constructor",
    "%F0%9F%90%95",
    "%D9%A1",
    "1/2",
    "",
  ])("the petId %s is 404", async (petId) => {
    const reply = await sendRaw(gateway.url, [
      `GET /v1/pets/${petId} HTTP/1.1`,
      `Authorization: Bearer ${gateway.key}`,
    ]);
    expectRestError(reply, "not_found");
  });

  test("a petId of thousands of characters is 404", async () => {
    expectRestError(await gateway.rest("GET", `/v1/pets/${"9".repeat(5000)}`), "not_found");
    expectRestError(await gateway.rest("GET", `/v1/pets/${"%00".repeat(2000)}`), "not_found");
  });

  test("every response of the operation announces its deprecation, whatever the caller", async () => {
    const calls: [number, Parameters<TestGateway["rest"]>[2]][] = [
      [404, {}],
      [401, { token: null }],
      [401, { token: "wrong" }],
      [403, { token: gateway.owner }],
    ];
    const replies = [
      await sendRaw(gateway.url, ["GET /v1/pets/1 HTTP/1.1", "Expect: x"]),
      await sendRaw(gateway.url, ["GET /v1/pets/1 HTTP/1.1", "Host: a", "Host: b"]),
      await gateway.rest("HEAD", "/v1/pets/1"),
    ];
    for (const [status, call] of calls) {
      const reply = await gateway.rest("GET", "/v1/pets/1", call);
      expect(reply.status).toBe(status);
      replies.push(reply);
    }
    for (const { headers } of replies) {
      expect(headers.get("deprecation")).toMatch(/^@\d+$/);
      expect(headers.get("sunset")).toBe("Thu, 05 Dec 2030 00:00:00 GMT");
      expect(headers.get("link")).toContain('</v1/pets>; rel="successor-version"');
    }
  });
});
