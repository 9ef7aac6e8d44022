import { expectRestError, rowsOf, sendRaw } from "../support/rejections";
import { describeGateway } from "../support/suite";

const ROUTES: [string, string][] = [
  ["/v1/pets", '{"name":"Rex","categoryId":1}'],
  ["/messages", '{"message":"Hello"}'],
];

describeGateway({ engine: "one", strict: true }, (gateway) => {
  describe.each(ROUTES)("POST %s", (path, body) => {
    test.each([
      "text/plain",
      "text/plain; charset=utf-8",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/xml",
      "application/jsonp",
      "application/json-patch+json",
      "application/vnd.api+json",
      "application",
      "application/json;charset=latin1",
      "application/json; charset=utf-16",
      "application/json, text/plain",
      "text/plain, application/json",
      "text/plain; application/json",
      "*/*",
      "",
    ])("with Content-Type %j is 400 and stores nothing", async (contentType) => {
      const before = await rowsOf(gateway);
      const reply = await gateway.rest("POST", path, { body, headers: { "content-type": contentType } });
      expectRestError(reply, "invalid_content_type");
      expect(await rowsOf(gateway)).toEqual(before);
    });

    test.each([
      ["with a body", body],
      ["without a body", ""],
    ])("without Content-Type, %s, is 400", async (_, sent) => {
      const lines = [`POST ${path} HTTP/1.1`, `Authorization: Bearer ${gateway.key}`];
      expectRestError(await sendRaw(gateway.url, lines, sent), "invalid_content_type");
    });

    test.each([
      "application/json",
      "application/json; charset=utf-8",
      "application/json;charset=UTF-8",
      'application/json; charset="utf-8"',
      "Application/JSON",
      "application/json ; charset=utf-8",
      "application/json;",
    ])("with Content-Type %s is 201", async (contentType) => {
      const reply = await gateway.rest("POST", path, { body, headers: { "content-type": contentType } });
      expect(reply.status).toBe(201);
    });

    test("with a body that starts with a byte order mark is 201", async () => {
      expect((await gateway.rest("POST", path, { body: `\ufeff${body}` })).status).toBe(201);
    });
  });

  test.each(["/v1/pets", "/agent/whoami"])("GET %s does not require a content type", async (path) => {
    const reply = await gateway.rest("GET", path, { headers: { "content-type": "text/plain" } });
    expect(reply.status).toBe(200);
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "application/json", ""])(
    "an empty body with Content-Type %j counts as none if none is required",
    async (contentType) => {
      const message = await gateway.rest("POST", "/messages", { body: { message: "Hello" } });
      const headers = { "content-type": contentType };
      const cancel = `/messages/${message.body.id}/cancel`;
      expect((await gateway.rest("POST", cancel, { body: "", headers })).status).toBe(200);
      const conversation = "/agent/conversations/01a1fcd2-0000-7000-8000-000000000001";
      for (const verb of ["handoff", "release", "close"])
        expectRestError(
          await gateway.rest("POST", `${conversation}/${verb}`, { body: "", headers }),
          "not_found",
        );
      expectRestError(
        await gateway.rest("POST", `${conversation}/close`, { body: "x", headers }),
        contentType === "application/json" ? "invalid_json" : "invalid_content_type",
      );
    },
  );
});
