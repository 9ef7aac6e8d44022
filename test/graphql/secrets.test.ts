import { codesOf } from "../support/rejections";
import { describeGateway } from "../support/suite";

const SECRET = "correct-horse-battery";
const SIGN_IN = "mutation ($input: SignInInput!) { signIn(input: $input) { token } }";

describeGateway({ engine: "any", env: { LOG_LEVEL: "debug" }, strict: true }, (gateway) => {
  test.each<[string, unknown]>([
    ["an unknown field beside it", { email: "a@example.com", password: SECRET, remember: true }],
    ["a field missing beside it", { password: SECRET }],
    ["a field of the wrong type beside it", { email: 1, password: SECRET }],
    ["a list around it", { email: "a@example.com", password: [SECRET] }],
    ["an object around it", { email: "a@example.com", password: { value: SECRET } }],
    ["nothing else", SECRET],
    ["a list of inputs around it", [{ email: "a@example.com", password: SECRET }]],
    ["an invalid address", { email: "", password: SECRET }],
  ])("a rejected password with %s is repeated neither in the response nor in the log", async (_, input) => {
    const reply = await gateway.graphql(SIGN_IN, { input }, { token: null });
    expect(codesOf(reply)).toHaveLength(1);
    expect(reply.text).not.toContain(SECRET);
    expect(gateway.log()).not.toContain(SECRET);
  });

  test("a fault in a variable is reported with its path and the reason", async () => {
    const input = { email: "a@example.com", password: SECRET, remember: true };
    const { body } = await gateway.graphql(SIGN_IN, { input }, { token: null });
    expect(body.errors[0].message).toContain("remember");
  });
});
