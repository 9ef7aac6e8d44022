import { mint } from "../support/gateway";
import { expire } from "../support/keys";
import { addMember, addOrganization } from "../support/people";
import { describeGateway } from "../support/suite";

const FIRST_STEPS = "{ firstSteps { keyMinted keyUsed petAdded messageQueued } }";

describeGateway({ engine: "any" }, (gateway) => {
  const stepsOf = async (token: string) => {
    await gateway.services.usageRecorder.flush({ all: true });
    const { body } = await gateway.graphql(FIRST_STEPS, {}, { token });
    return body.data.firstSteps;
  };

  test("a new organization has completed no steps, and every member sees each completed step", async () => {
    const { manager } = await addOrganization(gateway, "new");
    const { token: reader } = await addMember(gateway, { org: "new" });
    const expected = { keyMinted: false, keyUsed: false, petAdded: false, messageQueued: false };
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
    expect(await stepsOf(manager.token)).toEqual({
      keyMinted: true,
      keyUsed: false,
      petAdded: true,
      messageQueued: false,
    });
  });
});
