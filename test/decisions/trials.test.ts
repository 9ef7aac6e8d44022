import { Decision } from "../../src/features/decisions/decision.entity";
import { contactClient } from "../support/contacts";
import { type DecisionBody, decisionClient, publish } from "../support/decisions";
import { mint } from "../support/gateway";
import { firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";

const LIVE = {
  situations: { checked: {} },
  rules: [
    { id: "vip", on: "checked", when: ['"vip" in contact.tags'], do: [{ addTags: ["seen"] }] },
    {
      id: "future",
      on: "checked",
      when: ['now > timestamp("2050-01-01T00:00:00Z")'],
      do: [{ addTags: ["late"] }],
    },
    { id: "once", on: "checked", do: [{ addTags: ["a"] }], once: { per: "contact", within: "P1D" } },
  ],
};
const TYPED = {
  format: 1,
  situations: { typed: {} },
  templates: { hello: "Grüezi {{ contact.name }}" },
  rules: [
    {
      id: "typed",
      on: "typed",
      when: [
        'contact.locale == "de-CH"',
        "contact.attributes.plan == 2.0",
        'contact.timezone == "Europe/Zurich"',
      ],
      do: [{ send: "hello" }],
    },
  ],
  otherwise: [{ addTags: ["other"] }],
};

describeGateway({ env: { DELIVERY_WORKERS: "0" }, engine: "any" }, (gateway) => {
  let agentId: string;
  let version: number;
  let api: ReturnType<typeof decisionClient>;
  const contact = { ref: "anna" };
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    api = decisionClient(gateway);
    version = await publish(gateway, agentId, LIVE);
    await contactClient(gateway).put({
      ...contact,
      name: "Anna",
      addresses: [{ kind: "local", address: "anna" }],
    });
  });

  const dryRun = (given: DecisionBody) => api.decide({ type: "checked", contact, dryRun: true, ...given });
  const messageOf = async (given: DecisionBody) => {
    const { status, body } = await api.decide({ type: "checked", ...given });
    return [status, body.message];
  };
  const asManager = async (input: object) => {
    const document = `mutation ($input: DecideInput!) {
      decide(input: $input) { configurationVersion ruleId explanation { version } }
    }`;
    const given = { agentId, situation: { type: "typed", data: {} }, dryRun: true, ...input };
    const { body } = await gateway.graphql(document, { input: given }, { token: gateway.owner });
    return body.data?.decide ?? body.errors[0];
  };

  test("a dry run with assumptions decides as if they were true, and changes nothing", async () => {
    const at = (now: string) => ({ now });
    const noon = at("2026-11-27T12:00:00Z");
    const { body } = await dryRun({ as: { ...noon, contact: { tags: ["VIP", "vip"] } } });
    expect(body).toMatchObject({ ruleId: "vip", configurationVersion: version });
    expect(body.createdAt).toBe("2026-11-27T12:00:00.000Z");
    expect((await dryRun({ as: noon })).body.ruleId).toBe("once");
    expect((await dryRun({ as: at("2050-01-01T01:30:00+01:00") })).body.ruleId).toBe("future");

    const made = (await api.decide({ type: "checked", contact })).body;
    const later = new Date(Date.parse(made.createdAt) + 2 * 86_400_000).toISOString();
    const spent = async (now: string) =>
      (await dryRun({ as: at(now) })).body.explanation.rules.some((rule: { spent?: true }) => rule.spent);
    expect([await spent(made.createdAt), await spent(later)]).toEqual([true, false]);
    expect(await gateway.services.database.read((reader) => reader.count(Decision))).toBe(1);
  });

  test("a dry run tries a document while it is typed", async () => {
    const assumed = { locale: "de-ch", timezone: "Europe/Zurich", attributes: { plan: 2 } };
    const { status, body } = await dryRun({
      type: "typed",
      against: { document: TYPED },
      as: { contact: assumed },
    });
    expect([status, body.ruleId, body.configurationVersion]).toEqual([200, "typed", undefined]);
    expect(body.explanation.effects).toMatchObject([{ kind: "send", text: "Grüezi Anna" }]);
    expect((await dryRun({ type: "typed", against: { document: TYPED } })).body.ruleId).toBeUndefined();
    expect((await dryRun({ against: { version } })).body.configurationVersion).toBe(version);
  });

  test("a manager also tries the draft, and replays decisions with a document", async () => {
    expect(await asManager({ against: { draft: true } })).toMatchObject({
      extensions: { code: "not_found" },
    });
    const save = `mutation ($input: SaveConfigurationDraftInput!) {
      saveConfigurationDraft(input: $input) { draft { revision } }
    }`;
    const input = { agentId, document: TYPED, expectedRevision: 0 };
    await gateway.graphql(save, { input }, { token: gateway.owner });
    expect(await asManager({ against: { draft: true } })).toEqual({
      configurationVersion: null,
      ruleId: null,
      explanation: { version: null },
    });
    const { body: made } = await api.decide({ type: "checked", contact });
    const { body: replayed } = await gateway.rest("POST", `/agent/decisions/${made.id}/replay`, {
      body: { against: { document: TYPED } },
    });
    expect(replayed).toMatchObject({ decisionId: made.id, status: "changed" });
  });

  test.each([
    ["assumptions outside a dry run", { as: {} }, "as requires dryRun"],
    ["a document outside a dry run", { against: { document: TYPED } }, "against requires dryRun"],
    [
      "an assumed contact without a contact",
      { dryRun: true, as: { contact: {} } },
      "as.contact requires a contact",
    ],
    [
      "the draft with a key",
      { dryRun: true, against: { draft: true } },
      "against.draft is not allowed with an API key",
    ],
    [
      "a time that cannot be stored",
      { dryRun: true, as: { now: "0001-01-01T00:00:00Z" } },
      "as.now must be a time from 1970 to 9999",
    ],
    [
      "an unknown time zone",
      { dryRun: true, contact, as: { contact: { timezone: "Moon" } } },
      "as.contact.timezone must be an IANA time zone such as Europe/Zurich",
    ],
    [
      "an invalid document",
      { dryRun: true, against: { document: { format: 1, rules: 1 } } },
      expect.stringMatching(/^against\.document\.rules /),
    ],
  ])("%s is rejected", async (_, given, problem) => {
    expect(await messageOf(given)).toEqual([400, problem]);
  });

  test("a key without the scopes to read contacts and conversations tries no document", async () => {
    const scopes = ["agent:decide", "contacts:read"];
    const { secret } = await mint(gateway, { scopes } as Parameters<typeof mint>[1]);
    const { status, body } = await decisionClient(gateway, secret).decide({
      type: "typed",
      dryRun: true,
      against: { document: TYPED },
    });
    expect([status, body.code]).toEqual([403, "insufficient_scope"]);
  });
});
