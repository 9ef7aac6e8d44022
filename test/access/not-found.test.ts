import { ROUTES } from "../../src/features";
import { mintForOrganization } from "../support/gateway";
import { PUBLIC_URL } from "../support/lines";
import { expectGraphQLError, expectRestError } from "../support/rejections";
import { describeGateway } from "../support/suite";

const ID = "01a1fcd2-254e-77bb-8319-2e26d1494ad2";
const NAMES: Record<string, string> = {
  petId: "pet",
  contactId: "contact",
  decisionId: "decision",
  messageId: "message",
  version: "configuration",
  timerId: "timer",
  keyId: "API key",
  agentId: "agent",
};

/** Calls to routes with a nonexistent ID, and the kind of resource that is missing. */
const REST = ROUTES.filter(({ pathParameters = [] }) => pathParameters.length > 0).map(
  ({
    method,
    path,
    pathParameters = [],
    example,
    keys = ["key"],
  }): [string, string, string, unknown, boolean] => [
    method,
    pathParameters.reduce<string>((url, { name, format, example: value }) => {
      const missing = name === "version" ? 9 : value;
      return url.replace(`:${name}`, format === "uuid" ? ID : String(missing));
    }, path),
    NAMES[pathParameters[0]?.name ?? ""] ?? "conversation",
    example.body,
    keys.includes("key"),
  ],
);

const MUTATIONS: [field: string, what: string][] = [
  [`decide(input: { agentId: "${ID}", situation: { type: "x", data: {} } }) { id }`, "agent"],
  [`changeContactTags(input: { id: "${ID}", add: ["a"] }) { tags }`, "contact"],
  [`markAddressDeliverable(input: { id: "${ID}", addressId: "${ID}" }) { id }`, "contact"],
  [`archiveLine(input: { id: "${ID}" }) { id }`, "line"],
  [`cancelMessage(input: { id: "${ID}" }) { id }`, "message"],
  [`approveMessage(input: { id: "${ID}" }) { id }`, "message"],
  [`discardMessage(input: { id: "${ID}" }) { id }`, "message"],
  [`cancelTimer(input: { id: "${ID}" }) { id }`, "timer"],
  [`assignConversation(input: { id: "${ID}" }) { id }`, "conversation"],
  [`markConversationOpened(input: { id: "${ID}" }) { id }`, "conversation"],
  [`setHandoffNotices(input: { agentId: "${ID}", enabled: true }) { id }`, "agent"],
  [`closeConversation(input: { id: "${ID}" }) { canceled }`, "conversation"],
  [`renameAgent(input: { id: "${ID}", name: "x" }) { id }`, "agent"],
  [`deleteAgent(input: { id: "${ID}" }) { id }`, "agent"],
  [`createApiKey(input: { agentId: "${ID}", name: "x" }) { secret }`, "agent"],
  [
    `connectApplication(input: { requestId: "x", agentId: "${ID}", scopes: agent_read }) { redirectUrl }`,
    "agent",
  ],
  [`createLine(input: { agentId: "${ID}", name: "x" }) { line { id } }`, "agent"],
  [`createWebhookEndpoint(input: { agentId: "${ID}", url: "${PUBLIC_URL}" }) { signingSecret }`, "agent"],
  [`enableWebhookEndpoint(input: { id: "${ID}" }) { id }`, "webhook endpoint"],
  [`redeliver(input: { id: "${ID}", from: { after: "0" } }) { id }`, "webhook endpoint"],
  [`sendTestEvent(input: { id: "${ID}" }) { outcome }`, "webhook endpoint"],
  [`eraseContact(input: { id: "${ID}" }) { id }`, "contact"],
  [`grantPermission(input: { memberId: "${ID}", permission: config_manage }) { id }`, "member"],
  [`changePermissions(input: { memberId: "${ID}", revoke: [config_manage] }) { id }`, "member"],
  [`removeMember(input: { id: "${ID}" }) { id }`, "member"],
  [`endSession(input: { id: "${ID}" }) { id }`, "session"],
  [`renamePasskey(input: { id: "${ID}", name: "x" }) { id }`, "passkey"],
  [`removePasskey(input: { id: "${ID}" }) { id }`, "passkey"],
  [`withdrawInvitation(input: { id: "${ID}" }) { id }`, "invitation"],
  [`putContact(input: { agentId: "${ID}", ref: "x" }) { created }`, "agent"],
  [`updateApiKey(input: { id: "${ID}", description: "x" }) { id }`, "API key"],
  [`publishConfiguration(input: { agentId: "${ID}", expectedLiveVersion: 1 }) { version }`, "agent"],
  [`revokeApiKey(input: { id: "${ID}" }) { id }`, "API key"],
  [`sendToConversation(input: { id: "${ID}", text: "x" }) { id }`, "conversation"],
];

describeGateway({ engine: "any", strict: true, storesNothing: true }, (gateway) => {
  test.each(REST)("%s %s says that the %s does not exist", async (method, path, what, body, isForAgents) => {
    const token = isForAgents ? gateway.key : (await mintForOrganization(gateway)).secret;
    const reply = await gateway.rest(method, path, { token, ...(body != null && { body }) });
    expectRestError(reply, "not_found");
    expect(reply.body.message).toBe(`The ${what} does not exist.`);
  });

  test.each(MUTATIONS)("%s says that the %s does not exist", async (field, what) => {
    const reply = await gateway.graphql(`mutation { ${field} }`, {}, { token: gateway.owner });
    expectGraphQLError(reply, "not_found");
    expect(reply.body.errors[0].message).toBe(`The ${what} does not exist.`);
  });

  test("openConversation says whether the contact or the line does not exist", async () => {
    const open = async (input: object) => {
      const query =
        "mutation ($input: OpenConversationInput!) { openConversation(input: $input) { created } }";
      return (await gateway.graphql(query, { input })).body.errors[0].message;
    };
    expect(await open({ contact: { id: ID } })).toBe("The contact does not exist.");
    const contact = { kind: "local", address: "anna" };
    await gateway.rest("POST", "/agent/contacts", { body: { addresses: [contact] } });
    expect(await open({ contact: { address: contact }, line: { name: "none" } })).toBe(
      "The line does not exist.",
    );
  });
});
