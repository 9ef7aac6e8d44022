import { describeGateway } from "../support/suite";

describeGateway({ engine: "one" }, (gateway) => {
  test.each([
    ["of 200 characters", "x".repeat(200)],
    ["of 200 emoji", "🐕".repeat(200)],
    ["with spaces at its ends", " Rex "],
    ["of one character", "R"],
    ["that reads like SQL", "'); DROP TABLE pet; --"],
    ["with markup", "<script>alert(1)</script>"],
    ["with control characters", "a\u0001\u001f\u007f\r\nb"],
  ])("a name %s is returned unchanged", async (_, name) => {
    const reply = await gateway.rest("POST", "/v1/pets", { body: { name, categoryId: 1 } });
    expect(reply.status).toBe(201);
    expect((await gateway.rest("GET", `/v1/pets/${reply.body.id}`)).body.name).toBe(name);
  });

  test.each([
    ["-1", "-1"],
    ["0", "0"],
    ["-0", "0"],
    ["1e3", "1000"],
    ["7.0", "7"],
    ["1e16", "10000000000000000"],
    ["9007199254740992.0", "9007199254740992"],
    ["9007199254740993", "9007199254740993"],
    ["90071992547409.93e2", "9007199254740993"],
    ["-9223372036854775808", "-9223372036854775808"],
    ["9223372036854775807", "9223372036854775807"],
  ])("the categoryId %s is read as %s", async (sent, stored) => {
    const reply = await gateway.rest("POST", "/v1/pets", { body: `{"name":"Rex","categoryId":${sent}}` });
    expect(reply.status).toBe(201);
    expect(reply.text).toMatch(new RegExp(`"categoryId":${stored}[,}]`));
  });

  test("a status of null means no status", async () => {
    const body = { name: "Rex", categoryId: 1, status: null };
    const reply = await gateway.rest("POST", "/v1/pets", { body });
    expect(reply.body).toEqual({ id: expect.any(Number), name: "Rex", categoryId: 1 });
  });

  test("a repeated member with the same value counts once", async () => {
    const reply = await gateway.rest("POST", "/v1/pets", {
      body: '{"name":"Rex","name":"Rex","categoryId":1}',
    });
    expect(reply.status).toBe(201);
  });

  test.each(["x", "x".repeat(10_000), "🐕".repeat(10_000), " \n x"])(
    "a message is returned unchanged",
    async (message) => {
      const reply = await gateway.rest("POST", "/messages", { body: { message } });
      expect(reply.status).toBe(201);
      expect(reply.body).toEqual({
        id: expect.any(String),
        message,
        status: "queued",
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      });
    },
  );
});
