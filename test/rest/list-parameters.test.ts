import { encodeCursor } from "../../src/pagination/cursor";
import { expectRestError } from "../support/rejections";
import { describeGateway } from "../support/suite";

const tampered = (cursor: string) => cursor.replace(/^./, (c) => (c === "A" ? "B" : "A"));

describeGateway({ engine: "one", strict: true, storesNothing: true }, (gateway) => {
  test.each([
    "0",
    "101",
    "1.5",
    "1.0",
    "text",
    "",
    "-1",
    "99999999999",
    "9223372036854775807",
    "9".repeat(1000),
    "1e1",
    "0x10",
    "010",
    "%2B5",
    "%205",
    "5%20",
    "%D9%A5",
    "%EF%BC%95",
    "NaN",
    "Infinity",
    "null",
    "%00",
    "1%00",
    "[1]",
    "__proto__",
  ])("limit=%s is 400", async (limit) => {
    const reply = await gateway.rest("GET", `/v1/pets?limit=${limit}`);
    expectRestError(reply, "invalid_request");
    expect(reply.body.message).toMatch(/^limit must/);
  });

  test.each([
    "lost",
    "",
    "Available",
    "AVAILABLE",
    "available,sold",
    "%00",
    "available%00",
    "__proto__",
    "constructor",
    "1",
  ])("status=%s is 400", async (status) => {
    const reply = await gateway.rest("GET", `/v1/pets?status=${status}`);
    expectRestError(reply, "invalid_request");
    expect(reply.body.message).toMatch(/^status must/);
  });

  test.each([
    ["empty", ""],
    ["text", "x"],
    ["only punctuation", "%00%01"],
    ["a plain id", "1"],
    ["tampered with", tampered(encodeCursor("pet", "1"))],
    ["one character short", encodeCursor("pet", "1").slice(0, -1)],
    ["one character long", `${encodeCursor("pet", "1")}A`],
    ["padded", `${encodeCursor("pet", "1")}%3D`],
    ["of another list", encodeCursor("message", "01890a5d-ac96-774b-bcce-b302099a8057")],
    ["of another list but with an ID of this one", encodeCursor("message", "1")],
    ["of this list but with an invalid ID", encodeCursor("pet", "x")],
    ["of this list but with an ID above int64", encodeCursor("pet", "9223372036854775808")],
    ["quotes for SQL", "'--"],
    ["bytes that are not UTF-8", "_____w"],
    ["very long", "A".repeat(8000)],
  ])("a cursor that is %s is 400", async (_, cursor) => {
    expectRestError(await gateway.rest("GET", `/v1/pets?cursor=${cursor}`), "invalid_cursor");
  });

  test.each([
    ["limit=0&status=lost", "limit must be at least 1; status must be one of available, pending, sold"],
    ["limit=101&status=sold&x=1", "limit must be at most 100; x is not known"],
  ])("all mistakes in ?%s are in one response", async (query, message) => {
    const reply = await gateway.rest("GET", `/v1/pets?${query}`);
    expectRestError(reply, "invalid_request");
    expect(reply.body.message).toBe(message);
  });

  test.each(["limit=1&limit=2", "limit=5&limit=5", "status=sold&status=sold", "cursor=x&cursor=x"])(
    "%s, a parameter given twice, is 400",
    async (query) => {
      const reply = await gateway.rest("GET", `/v1/pets?${query}`);
      expectRestError(reply, "invalid_request");
      expect(reply.body.message).toMatch(/^(limit|status|cursor) must be given only once$/);
    },
  );

  test.each(["limit=1", "limit=100", "status=sold", "", "&&&"])("?%s is 200", async (query) => {
    const reply = await gateway.rest("GET", `/v1/pets?${query}`);
    expect({ status: reply.status, body: reply.body }).toEqual({ status: 200, body: [] });
  });

  test.each([
    ["unknown=1", "unknown is not known"],
    ["Status=sold", "Status is not known"],
    ["limit=1&limit[]=2", "limit[] is not known"],
    ["__proto__=1", "__proto__ is not known"],
    ["=", "(no name) is not known"],
    ["%ZZ=1", "%ZZ is not known"],
    ["x=%ZZ", "x is not known"],
  ])("?%s is 400, because a misspelled filter would list everything", async (query, message) => {
    const reply = await gateway.rest("GET", `/v1/pets?${query}`);
    expectRestError(reply, "invalid_request");
    expect(reply.body.message).toBe(message);
  });
});
