import { expectRestError } from "../support/rejections";
import { describeGateway } from "../support/suite";

describeGateway({ engine: "one", strict: true, storesNothing: true }, (gateway) => {
  test.each([
    ["that is null", "null"],
    ["that is empty", '""'],
    ["that is blank", '" \\n "'],
    ["of 10,001 characters", JSON.stringify("x".repeat(10_001))],
    ["of 10,001 emoji", JSON.stringify("🐕".repeat(10_001))],
    ["with NUL", '"a\\u0000b"'],
    ["with a lone surrogate", '"\\ud800"'],
    ["that is a number", "1"],
    ["that is a boolean", "false"],
    ["that is a list", '["Hello"]'],
    ["that is an object", '{"message":"Hello"}'],
  ])("a message %s is rejected", async (_, message) => {
    const reply = await gateway.rest("POST", "/messages", { body: `{"message":${message}}` });
    expectRestError(reply, "invalid_request");
    expect(reply.body.message).toMatch(/^message /);
  });

  test("a message with an agent identifier is rejected, because the key determines the agent", async () => {
    for (const name of ["agentId", "agent", "agent_id"]) {
      const reply = await gateway.rest("POST", "/messages", {
        body: { message: "Hello", [name]: "first-agent" },
      });
      expectRestError(reply, "invalid_request");
    }
  });
});
