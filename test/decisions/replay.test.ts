import { timestamp } from "../../src/common/time";
import { StoredJson } from "../../src/database/stored-json";
import { ConfigurationDraft } from "../../src/features/configuration/configuration-draft.entity";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { Decision } from "../../src/features/decisions/decision.entity";
import { explain } from "../../src/features/decisions/effects/explain-effect";
import { replay, summarize } from "../../src/features/decisions/replay";
import { Message } from "../../src/features/messages/message.entity";
import { MessageStatus } from "../../src/features/messages/message.enums";
import { compile } from "../support/configuration";
import { addContact, contactClient } from "../support/contacts";
import { addConversation, conversationClient } from "../support/conversations";
import { decisionClient, formatDifferently, publish, staleDecision } from "../support/decisions";
import { firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const documentWith = (limit: number, text = "Hello {{ contact.name }}") => ({
  situations: { order: { total: "double" } },
  templates: { hello: text },
  rules: [
    { id: "large", on: "order", when: [`situation.data.total > ${limit}.0`], do: [{ send: "hello" }] },
    { id: "tagged", on: "order", when: ["'vip' in contact.tags"], do: [{ addTags: ["seen"] }] },
  ],
  otherwise: [{ handoff: "small" }],
});

test("a replay serializes each effect a few times at most, and equal effects keep their own results", async () => {
  const none = { ruleId: null, error: null };
  const handoffs = Array.from({ length: 200 }, (_, i) => ({
    ...none,
    ...{ kind: "handoff" as const, reason: `${i}` },
  }));
  const tags = { ...none, kind: "addTags" as const, tags: ["a"] };
  const effects = [...handoffs, tags, tags];
  const results = effects.map((effect, i) => ({ ...explain(effect), messageId: `${i}` }));
  const now = "2026-01-15T12:00:00.000Z";
  const agent = { slug: "shop", name: "Shop" };
  const explanation = { version: 1, now, gates: [], rules: [], effects: results };
  const decision = {
    ...{ id: "d", ruleId: null, outcome: "silent", situation: { type: "order", data: {} }, effects },
    snapshot: { contact: null, conversation: null, message: null, agent, now, spent: [] },
    explanation: new StoredJson(JSON.stringify(explanation)),
  } as unknown as Decision;
  const otherwise = Array(20).fill({ addTags: ["a"] });
  const configuration = await compile({ format: 1, situations: { order: {} }, otherwise });
  const serialized = jest.spyOn(JSON, "stringify");
  const replayed = replay(decision, { version: 2, configuration }).explanation?.effects;
  const { length: calls } = serialized.mock.calls;
  serialized.mockRestore();
  expect(replayed?.map(({ messageId }) => messageId)).toEqual(["200", "201", ...Array(18).fill(null)]);
  expect(calls).toBeLessThan(20 * (effects.length + otherwise.length));
});

describeGateway({ engine: "any" }, (gateway) => {
  let agentId: string;
  let api: ReturnType<typeof decisionClient>;
  let contactId: string;
  let recorded: number;
  const ids: string[] = [];
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    api = decisionClient(gateway);
    recorded = await publish(gateway, agentId, documentWith(100));
    for (const total of [50, 150, 250]) {
      const addresses = [{ kind: AddressKind.local, address: `anna ${total}` }];
      contactId = await addContact(gateway, { agentId, name: "Anna", addresses });
      const { body } = await api.decide({ type: "order", data: { total }, contact: { id: contactId } });
      ids.push(body.id);
    }
  });

  const replayed = (id: string | undefined, against: object) =>
    gateway.rest("POST", `/agent/decisions/${id}/replay`, { body: { against } });
  const replays = async (args: string, token = gateway.key) => {
    const { body } = await gateway.graphql(
      `{ replayDecisions(${args}) { total same changed invalid erased rules { ruleId recorded replayed }
           decisions { decisionId status recordedRuleId ruleId } } }`,
      {},
      { token },
    );
    return body.data?.replayDecisions ?? body.errors[0].extensions.code;
  };
  const saveDraft = (document: object) =>
    gateway.services.database.write((tx) =>
      tx.save(ConfigurationDraft, {
        ...{ agentId, document: { format: 1, ...document }, revision: 1, basedOn: recorded },
        ...{ updatedAt: timestamp(), updatedBy: "test" },
      }),
    );

  test("the version that decided gives the same explanation, byte for byte", async () => {
    for (const id of ids) {
      const { explanation } = (await api.find(id)).body;
      const { body, status } = await replayed(id, { version: recorded });
      expect([status, body.status]).toEqual([200, "same"]);
      expect(JSON.stringify(body.explanation)).toBe(JSON.stringify(explanation));
    }
  });

  test("another version shows what would change, and nothing is stored or sent", async () => {
    const stored = () =>
      gateway.services.database.read(async (reader) => [
        await reader.count(Decision),
        await reader.count(Message),
        (await contactClient(gateway).find({ id: contactId })).body.data.contact,
      ]);
    const version = await publish(gateway, agentId, documentWith(200));
    const before = await stored();
    const { body } = await replayed(ids[1], { version });
    expect(body).toMatchObject({
      decisionId: ids[1],
      situationType: "order",
      status: "changed",
      recordedRuleId: "large",
      explanation: {
        version,
        rules: [
          { ruleId: "large", matched: false },
          { ruleId: "tagged", matched: false },
        ],
        effects: [{ kind: "handoff", status: "skipped", reason: "small" }],
      },
    });
    expect(body).not.toHaveProperty("ruleId");
    expect(await replays(`against: { version: ${version} }`)).toEqual({
      total: 3,
      same: 2,
      changed: 1,
      invalid: 0,
      erased: 0,
      rules: [
        { ruleId: null, recorded: 1, replayed: 2 },
        { ruleId: "large", recorded: 2, replayed: 1 },
      ],
      decisions: [{ decisionId: ids[1], status: "changed", recordedRuleId: "large", ruleId: null }],
    });
    expect(await stored()).toEqual(before);
  });

  test("another text is also a change, and a rejected situation is reported", async () => {
    const other = await publish(gateway, agentId, documentWith(100, "Dear {{ contact.name }}"));
    expect(await replays(`against: { version: ${other} }`)).toMatchObject({ same: 1, changed: 2 });
    const strict = await publish(gateway, agentId, { situations: { order: { other: "string" } } });
    expect(await replays(`against: { version: ${strict} }`)).toMatchObject({
      invalid: 3,
      rules: [
        { ruleId: null, recorded: 1, replayed: 0 },
        { ruleId: "large", recorded: 2, replayed: 0 },
      ],
    });
    const { body } = await replayed(ids[0], { version: strict });
    expect(body).toMatchObject({ status: "invalid", error: { code: "invalid_request" } });
    expect(body.error.message).toContain("situation.data.other is required");
  });

  test("a replay of many decisions keeps none of their explanations, which may be large", async () => {
    const many = jest.spyOn(gateway.services.replays, "many");
    const version = await publish(gateway, agentId, documentWith(200));
    expect(await replays(`against: { version: ${version} }`)).toMatchObject({ changed: 1 });
    const { decisions } = (await many.mock.results[0]?.value) ?? {};
    expect(decisions).toMatchObject([{ decisionId: ids[1] }]);
    expect(decisions[0]).not.toHaveProperty("explanation");
    many.mockRestore();
  });

  test("decisions are selected by time and number", async () => {
    const against = `against: { version: ${recorded} }`;
    const { createdAt } = (await api.find(ids[1] as string)).body;
    expect(await replays(`${against}, first: 1`)).toMatchObject({ total: 1 });
    expect(await replays(`${against}, since: "${createdAt}"`)).toMatchObject({ total: 2 });
    expect(await replays(`${against}, until: "${createdAt}"`)).toMatchObject({ total: 1 });
    expect(await replays(`${against}, first: 501`)).toBe("invalid_request");
  });

  test("a manager replays against the draft, and a key only against published versions", async () => {
    const draft = `agentId: "${agentId}", against: { draft: true }`;
    expect(await replays(draft, gateway.owner)).toBe("not_found");
    await saveDraft(documentWith(200));
    expect(await replays(draft, gateway.owner)).toMatchObject({ total: 3, changed: 1 });
    const { body } = await gateway.graphql(
      `{ replayDecision(id: "${ids[1]}", against: { draft: true }) { status explanation { version } } }`,
      {},
      { token: gateway.owner },
    );
    expect(body.data.replayDecision).toMatchObject({ status: "changed", explanation: { version: null } });
    expect(await replays("against: { draft: true }")).toBe("invalid_request");
    await saveDraft({ rules: [{ id: "x", on: "no", when: ["nothing"] }] });
    expect(await replays(draft, gateway.owner)).toBe("conflict");
  });

  test("a replay can see that the client of its request has disconnected", async () => {
    const client = new AbortController();
    const many = jest.spyOn(gateway.services.replays, "many");
    const gone = new Promise<void>((resolve) => {
      many.mockImplementation(async ({ isGone }) => {
        expect(isGone?.()).toBe(false);
        client.abort();
        await waitUntil(() => isGone?.() === true);
        resolve();
        return summarize([]);
      });
    });
    const query = "{ replayDecisions(against: { version: 1 }) { total } }";
    const request = fetch(`${gateway.url}/graphql`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
      body: JSON.stringify({ query }),
      signal: client.signal,
    });
    await expect(request).rejects.toThrow("aborted");
    await gone;
    many.mockRestore();
  });

  test.each([
    ["no such decision", "01a1fcd4-2b50-7d2f-9c1a-7b2a8d1a3c43", { version: 1 }, 404],
    ["no such version", undefined, { version: 1_000 }, 404],
    ["neither a version nor the draft", undefined, {}, 400],
    ["both", undefined, { version: 1, draft: true }, 400],
    ["no draft", undefined, { draft: false }, 400],
    ["a version below 1", undefined, { version: -1 }, 404],
  ])("%s is rejected", async (_, id, against, status) => {
    expect((await replayed(id ?? ids[0], against)).status).toBe(status);
  });

  test("a decision whose contact was erased cannot be replayed", async () => {
    const contact = { id: await addContact(gateway, { agentId }) };
    const { body } = await api.decide({ type: "undeclared", contact });
    await contactClient(gateway).erase(contact.id);
    expect((await replayed(body.id, { version: recorded })).body).toMatchObject({ status: "erased" });
  });

  test("a decision about a conversation that was closed before any rule was tried stays the same", async () => {
    const id = await staleDecision(gateway, agentId);
    const { explanation } = (await api.find(id)).body;
    const version = await publish(gateway, agentId, documentWith(200));
    const { body } = await replayed(id, { version });
    expect(body).toMatchObject({ status: "same", explanation: { ...explanation, version } });
    expect(body.explanation.gates).toEqual([{ name: "open", passed: false }]);
    expect(await replays(`against: { version: ${version} }, first: 1`)).toMatchObject({ same: 1, erased: 0 });
  });

  test("another fallback after a question without an answer is a change", async () => {
    const asking = (reason: string, tags: string[] = []) => ({
      situations: { question: {} },
      templates: { prompt: "Answer." },
      rules: [{ id: "question", on: "question", do: [...tags.map(adding), { ask: { prompt: "prompt" } }] }],
      otherwise: [{ handoff: reason }],
    });
    const adding = (tag: string) => ({ addTags: [tag] });
    const version = await publish(gateway, agentId, asking("no answer"));
    const contact = { address: { kind: "local", address: "question" } };
    const { id } = (await api.decide({ type: "question", contact })).body;
    const { explanation } = (await api.find(id)).body;
    expect(explanation.effects).toMatchObject([
      { kind: "ask", status: "failed", error: { code: "no_model" } },
      { kind: "handoff", status: "done", reason: "no answer" },
    ]);
    const { body: same } = await replayed(id, { version });
    expect([same.status, JSON.stringify(same.explanation)]).toEqual(["same", JSON.stringify(explanation)]);
    const other = await publish(gateway, agentId, asking("other"));
    expect((await replayed(id, { version: other })).body).toMatchObject({
      status: "changed",
      explanation: {
        effects: [
          { kind: "ask", status: "failed", error: { code: "no_model" } },
          { kind: "handoff", status: "skipped", reason: "other" },
        ],
      },
    });
    const tagging = await publish(gateway, agentId, asking("no answer", ["new"]));
    expect((await replayed(id, { version: tagging })).body).toMatchObject({
      status: "changed",
      explanation: { effects: [{ kind: "addTags", status: "skipped" }, { kind: "ask" }, { status: "done" }] },
    });
  });

  test("a replay with a rule that resends shows the failed message's text", async () => {
    const rule = { id: "failed", on: "message.failed" };
    await publish(gateway, agentId, { rules: [{ ...rule, do: [{ handoff: "failed" }] }] });
    const { id: conversationId } = await addConversation(gateway, { agentId });
    const { body: sent } = await conversationClient(gateway).send(conversationId, "Your invoice");
    const { id: messageId } = sent.data.sendToConversation;
    await gateway.services.database.write((tx) =>
      tx.update(Message, { id: messageId }, { status: MessageStatus.failed }),
    );
    const situation = { type: "message.failed", data: { messageId }, conversationId };
    const { body } = await api.decide(situation);
    expect(body).toMatchObject({ ruleId: "failed", outcome: "handoff" });
    const resends = await publish(gateway, agentId, { rules: [{ ...rule, do: [{ resend: true }] }] });
    expect((await replayed(body.id, { version: resends })).body).toMatchObject({
      status: "changed",
      explanation: { effects: [{ kind: "send", status: "skipped", text: "Your invoice" }] },
    });
  });

  test("numbers and dates are as formatted by the process that decided", async () => {
    const document = documentWith(100, '{{ situation.data.total | money: "EUR" }}');
    const version = await publish(gateway, agentId, { ...document, zone: "Asia/Tokyo" });
    const contact = { address: { kind: "local", address: "money" } };
    const { id } = (await api.decide({ type: "order", data: { total: 200 }, contact })).body;
    const { snapshot } = await gateway.services.database.read((reader) =>
      reader.findOneByOrFail(Decision, { id }),
    );
    expect(snapshot?.formatted).toEqual({ "number en EUR  200": "\u20ac200.00" });
    await formatDifferently(gateway, id, "\u20ac200.00", "EUR 200");
    const { explanation } = (await api.find(id)).body;
    expect(explanation.effects).toMatchObject([{ text: "EUR 200" }]);
    const { body } = await replayed(id, { version });
    expect(body.status).toBe("same");
    expect(JSON.stringify(body.explanation)).toBe(JSON.stringify(explanation));
    expect((await replayed(id, { version: recorded })).body.status).toBe("changed");
  });
});
