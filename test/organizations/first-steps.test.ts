import { decisionClient, publish } from "../support/decisions";
import { mint } from "../support/gateway";
import { expire } from "../support/keys";
import { addLine, addWebhookLine } from "../support/lines";
import { addMember, addOrganization, firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";

const FIRST_STEPS =
  "{ firstSteps { keyMinted keyUsed petAdded messageQueued decisionMade lineAdded configurationPublished } }";

const NOTHING = {
  keyMinted: false,
  keyUsed: false,
  petAdded: false,
  messageQueued: false,
  decisionMade: false,
  lineAdded: false,
  configurationPublished: false,
};

describeGateway({ engine: "any" }, (gateway) => {
  const stepsOf = async (token: string) => {
    await gateway.services.usageRecorder.flush({ all: true });
    const { body } = await gateway.graphql(FIRST_STEPS, {}, { token });
    return body.data.firstSteps;
  };

  test("a new organization has completed no steps, and every member sees each completed step", async () => {
    const { manager, agentId } = await addOrganization(gateway, "new");
    const { token: reader } = await addMember(gateway, { org: "new" });
    const expected = { ...NOTHING };
    const expectSteps = async (done: Partial<typeof expected>) => {
      Object.assign(expected, done);
      expect(await stepsOf(manager.token)).toEqual(expected);
      expect(await stepsOf(reader)).toEqual(expected);
    };
    await expectSteps({});
    const { id, secret: token } = await mint(gateway, { agent: "new-agent" });
    await expectSteps({ keyMinted: true });
    await gateway.rest("GET", "/agent/whoami", { token });
    await expectSteps({ keyUsed: true });
    await gateway.rest("POST", "/v1/pets", { token, body: { name: "Rex", categoryId: 1 } });
    await expectSteps({ petAdded: true });
    await gateway.rest("POST", "/messages", { token, body: { message: "Hello" } });
    await expectSteps({ messageQueued: true });
    await decisionClient(gateway, token).decide({ data: { orderId: "1" } });
    await expectSteps({ decisionMade: true });
    await addLine(gateway, { agentId });
    await expectSteps({});
    await addWebhookLine(gateway, { agentId });
    await expectSteps({ lineAdded: true });
    await publish(gateway, agentId, { rules: [] });
    await expectSteps({ configurationPublished: true });
    await expire(gateway, id);
    await expectSteps({});
  });

  test("a rejected key does not count as used, and other organizations' steps do not count, except in the shared store", async () => {
    const { manager } = await addOrganization(gateway, "idle");
    const { id, secret: token } = await mint(gateway, { agent: "idle-agent" });
    await expire(gateway, id);
    await gateway.rest("GET", "/agent/whoami", { token });
    await gateway.rest("POST", "/messages", { body: { message: "Hello" } });
    await gateway.rest("POST", "/v1/pets", { body: { name: "Rex", categoryId: 1 } });
    await decisionClient(gateway).decide({ data: { orderId: "1" } });
    await publish(gateway, await firstAgentId(gateway), { rules: [] });
    expect(await stepsOf(manager.token)).toEqual({ ...NOTHING, keyMinted: true, petAdded: true });
  });
});
