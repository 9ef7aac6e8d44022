import { StoredJson } from "../../src/database/stored-json";
import type { DecisionInput } from "../../src/features/configuration/document/read-situation";
import type { TestDocument } from "../../src/features/configuration/document/tests-format";
import { Pseudonyms } from "../../src/features/decisions/configuration-tests/pseudonyms";
import { runTest } from "../../src/features/decisions/configuration-tests/run-test";
import { testFrom } from "../../src/features/decisions/configuration-tests/test-from-decision";
import type { Snapshot } from "../../src/features/decisions/decision-record";
import type { Explanation } from "../../src/features/decisions/explanation";
import { NOT_ASKED } from "../../src/features/decisions/model/asking";
import { compile, configurationClient } from "../support/configuration";
import { contactClient } from "../support/contacts";
import { decisionClient, publish, staleDecision } from "../support/decisions";
import { mint } from "../support/gateway";
import { codeOf, firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";

describe("names and addresses", () => {
  const replaced = new Pseudonyms({ name: "Anna van Müller", ref: "c-17" }, ["anna-1", "+41791234567", "an"]);
  test.each([
    ["Hi Anna, ANNA MÜLLER", "Hi Alex, Alex Example"],
    ["Anna van Müller", "Alex Example"],
    ["Annabel and Hannah", "Annabel and Hannah"],
    ["a van full of vans", "a van full of vans"],
    ["customer c-17 (c-170)", "customer contact-1 (c-170)"],
    ["write to anna-1 in an hour", "write to address-1 in an hour"],
    ["a.b+c@shop.example.org, A.B+C@shop.example.org", "person1@example.com, person1@example.com"],
    ["bob@x.io", "person2@example.com"],
    ["+41791234567 or +41 79 765 43 21", "+41000000001 or +41 00 000 00 02"],
    ["079 765 43 22.", "070 000 00 03."],
    ["電話0797654322です", "電話0700000004です"],
    ["order 20261128001 of 2026-01-15T12:00:00Z", "order 20261128001 of 2026-01-15T12:00:00Z"],
    ["01.02.2026 10:30", "01.02.2026 10:30"],
    ["", ""],
  ])("%j becomes %j", (text, expected) => {
    expect(replaced.of(text)).toBe(expected);
  });

  test.each([
    [
      "İpek Yılmaz",
      "İpek, YILMAZ, İPEK YILMAZ and i̇pek yılmaz",
      "Alex, Example, Alex Example and Alex Example",
    ],
    ["Jürg Strauß", "JÜRG STRAUSS or Strauß", "Alex Example or Example"],
    ["Νίκος Ψαρός", "ΝΊΚΟΣ, Ψαρός", "Alex, Example"],
    ["王小明", "我是王小明，谢谢王小明先生", "我是Alex，谢谢Alex先生"],
    ["李 明", "我叫李明，李 明", "我叫Alex Example，Alex Example"],
    ["山田 エリー", "山田エリーです。エリーさん、山田様", "Alex Exampleです。Exampleさん、Alex様"],
    ["김 민수", "저는 김민수입니다. 민수는", "저는 Alex Example입니다. Alex는"],
    ["สมชาย ใจดี", "ผมชื่อสมชายครับ", "ผมชื่อAlexครับ"],
    ["민수 김", "저는 김민수입니다", "저는 Alex Example입니다"],
    ["김 이나", "커피이나 차, 이나는", "커피이나 차, Alex는"],
    ["דנה לוי", "דנה, לוי, ולדנה, חדנה", "Alex, Example, ולAlex, חדנה"],
    ["محمد علي", "ومحمد", "وAlex"],
    ["გიორგი ბერიძე", "მე ვარ ბერიძე, გიორგი", "მე ვარ Example, Alex"],
    ["ジョン・スミス", "スミスです。ジョン・スミス", "Exampleです。Alex Example"],
    ["约翰·史密斯", "我是史密斯", "我是Example"],
    ["Anna Müller", "Annaさん、Annabelさん", "Alexさん、Annabelさん"],
  ])("of %s are replaced wherever they are words", (name, text, expected) => {
    expect(new Pseudonyms({ name, ref: null }, []).of(text)).toBe(expected);
  });

  test("are replaced in values, but not in the names of members", () => {
    expect(replaced.of({ Anna: ["Anna", 1, null, { a: "c-17" }], b: true })).toEqual({
      Anna: ["Alex", 1, null, { a: "contact-1" }],
      b: true,
    });
  });

  test.each([
    [
      { name: null, ref: null },
      { name: null, ref: null },
    ],
    [
      { name: "Q", ref: "1" },
      { name: "Alex", ref: "contact-1" },
    ],
    [
      { name: "anna@example.org", ref: null },
      { name: "Alex", ref: null },
    ],
    [
      { name: "(.*)+", ref: "[" },
      { name: "Alex", ref: "contact-1" },
    ],
  ])("of the contact %j become %j", (contact, expected) => {
    expect(new Pseudonyms(contact, []).identity(contact)).toEqual(expected);
  });

  test("are found in linear time", () => {
    const before = process.cpuUsage();
    for (const part of ["a", "a@", "+1 ", "0 ", "a@b.", "anna "]) replaced.of(part.repeat(100_000));
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
  });
});

const DOCUMENT = {
  format: 1,
  situations: { order: { name: "string", total: "double", mail: "string?" }, question: {} },
  templates: {
    thanks: { text: "Thank you, {{ situation.data.name | upcase }}! {{ contact.name }}", subject: "Order" },
    help: "Answer.",
  },
  rules: [
    {
      id: "thanks",
      on: "order",
      when: ["situation.data.total > 10.0"],
      do: [
        { addTags: ["buyer"] },
        { send: "thanks", line: ["mail", "main"] },
        { later: { situation: "question", after: "PT1H", key: "k-{{ situation.data.total }}" } },
      ],
      once: { per: "contact", within: "P1D" },
    },
    {
      id: "anna",
      on: "order",
      when: ["situation.data.total == 1.0", "contact.name == 'Anna Müller'"],
      do: [{ addTags: ["anna"] }],
    },
    { id: "again", on: "message.failed", do: [{ resend: true }] },
    { id: "question", on: "question", do: [{ ask: { prompt: "help", tags: ["a"], handoff: true } }] },
  ],
  otherwise: [{ handoff: "no rule" }],
};

const CONTACT = {
  ref: "c-17",
  name: "Anna Müller",
  locale: "de-CH",
  timezone: null,
  attributes: { mail: "anna@shop.example" },
  tags: ["vip"],
  channels: ["local"],
};
const SNAPSHOT = {
  contact: CONTACT,
  conversation: { id: "01a1fcd3-17a0-7d1e-8b0f-5a1f7c0f2b21", line: "main", handler: "agent", state: "open" },
  message: null,
  agent: { slug: "shop", name: "Shop" },
  now: "2026-01-15T12:00:00.000Z",
  spent: [],
} satisfies Snapshot;
const ORDER = { type: "order", data: { name: "Anna", total: 20, mail: "anna@shop.example" } };

const EXPLANATION = { version: 1, now: SNAPSHOT.now, gates: [], rules: [] };

/** @param effects the recorded effects, which contain the model's answer */
async function testOf(
  situation: DecisionInput["situation"],
  more: Partial<Snapshot> = {},
  effects: object[] = [],
) {
  const configuration = await compile(DOCUMENT);
  const snapshot = { ...SNAPSHOT, ...more };
  const id = "01a1fcd4-2b50-7d2f-9c1a-7b2a8d1a3c43";
  const explanation = new StoredJson<Explanation>(JSON.stringify({ ...EXPLANATION, effects }));
  return { configuration, test: testFrom(configuration, { id, situation, snapshot, explanation }, []) };
}

test("a test has the situation, and expects what the agent did", async () => {
  const { configuration, test } = await testOf(ORDER);
  expect(test).toEqual({
    id: "thanks-8d1a3c43",
    now: SNAPSHOT.now,
    situation: { type: "order", data: { name: "Alex", total: 20, mail: "person1@example.com" } },
    contact: {
      ref: "contact-1",
      name: "Alex Example",
      locale: "de-CH",
      attributes: { mail: "person1@example.com" },
      tags: ["vip"],
      channels: ["local"],
    },
    conversation: { line: "main" },
    agent: SNAPSHOT.agent,
    expect: {
      rule: "thanks",
      outcome: "send",
      sends: [{ template: "thanks", text: "Thank you, ALEX! Alex Example", subject: "Order", line: "mail" }],
      tags: ["buyer", "vip"],
      timers: [{ key: "k-20", situation: "question", dueAt: "2026-01-15T13:00:00.000Z" }],
    },
  });
  expect(runTest(configuration, test, 0).differences).toEqual([]);
  await compile({ ...DOCUMENT, tests: [test] });
});

test.each<[string, DecisionInput["situation"], Partial<typeof SNAPSHOT>, object]>([
  ["a rule that matched too recently", ORDER, { spent: ["thanks"] as never }, { rule: null }],
  [
    "a human who answers",
    ORDER,
    { conversation: { ...SNAPSHOT.conversation, handler: "human" } },
    { rule: "thanks", outcome: "silent", sends: [] },
  ],
  ["no contact", ORDER, { contact: null as never, conversation: null as never }, { outcome: "send" }],
  ["a contact without anything", ORDER, { contact: { ...CONTACT, ref: null, name: null } as never }, {}],
])("a test of %s passes", async (_, situation, snapshot, expected) => {
  const { configuration, test } = await testOf(situation, snapshot);
  expect(test.expect).toMatchObject(expected);
  expect(runTest(configuration, test, 0).differences).toEqual([]);
});

test("a test of an unapproved message expects that it is not sent again", async () => {
  const failed = { text: "An offer", subject: null, wasResent: false, isUnapproved: true as const };
  const situation = { type: "message.failed", data: { messageId: "m-1", errorCode: "expired" } };
  const { configuration, test } = await testOf(situation, { failed });
  expect(test).toMatchObject({
    failed: { text: "An offer", unapproved: true },
    expect: { rule: "again", outcome: "failed", sends: [] },
  });
  expect(runTest(configuration, test, 0).differences).toEqual([]);
});

test.each<[string, object[], object | undefined, string]>([
  ["no model", [], undefined, "handoff"],
  ["no answer in a dry run", [{ kind: "ask", ...NOT_ASKED }], { text: null }, "silent"],
  ["no answer if it came late", [{ kind: "ask", status: "skipped", error: null }], { text: null }, "silent"],
  [
    "the answer",
    [
      { kind: "ask", status: "done", error: null },
      { kind: "addTags", status: "done", tags: ["a"] },
      { kind: "send", status: "failed", text: "Hi Anna" },
      { kind: "handoff", status: "done" },
    ],
    { text: "Hi Alex", tags: ["a"], handoff: true },
    "handoff",
  ],
  [
    "the error",
    [{ kind: "ask", status: "failed", error: { code: "model_timeout" } }, { kind: "handoff" }],
    { error: "model_timeout" },
    "handoff",
  ],
])("a test of a question to a model has %s", async (_, effects, model, outcome) => {
  const { configuration, test } = await testOf({ type: "question", data: {} }, {}, effects);
  expect(test).toMatchObject({ expect: { rule: "question", outcome } });
  expect(test.model).toEqual(model);
  expect(runTest(configuration, test, 0).differences).toEqual([]);
});

test("a decision that depends on the name cannot become a test", async () => {
  await expect(testOf({ type: "order", data: { name: "x", total: 1 } })).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("with other names and addresses"),
  });
});

const TEST =
  "query ($id: ID!, $against: ReplayAgainst) { testFromDecision(id: $id, against: $against) { test } }";

const env = { DELIVERY_WORKERS: "0", MODEL_URL: "http://127.0.0.1:1/v1", MODEL_NAME: "small" };

describeGateway({ engine: "any", env }, (gateway) => {
  let agentId: string;
  let decisionId: string;
  let contactId: string;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    await publish(gateway, agentId, DOCUMENT);
    const { body } = await contactClient(gateway).put({
      ref: "c-17",
      name: "Anna Müller",
      attributes: { note: "reach me as anna-x" },
      addresses: [{ kind: "local", address: "anna-x" }],
    });
    contactId = body.data.putContact.contact.id;
    const api = decisionClient(gateway);
    const { body: made } = await api.decide({ ...ORDER, contact: { id: contactId } });
    decisionId = made.id;
  });

  const ask = async (variables: object, token: string = gateway.owner) => {
    const reply = await gateway.graphql(TEST, { id: decisionId, ...variables }, { token });
    return codeOf(reply) ?? (reply.body.data.testFromDecision.test as TestDocument);
  };

  test("a recorded decision becomes a test that passes, in both APIs", async () => {
    const test = await ask({});
    expect(test).toMatchObject({
      contact: { name: "Alex Example", attributes: { note: "reach me as address-1" } },
      expect: { rule: "thanks", outcome: "send", tags: ["buyer"] },
    });
    expect(JSON.stringify(test)).not.toMatch(/anna|müller|c-17/i);
    const { status, body } = await gateway.rest("GET", `/agent/decisions/${decisionId}/test`);
    expect([status, body.test]).toEqual([200, test]);
    const run = await gateway.rest("POST", "/agent/configuration/tests", {
      body: { against: { document: { ...DOCUMENT, tests: [test] } } },
    });
    expect(run.body).toMatchObject({ total: 1, failed: 0 });
  });

  test("a test can expect what another configuration does, for managers", async () => {
    await configurationClient(gateway).save(
      agentId,
      { ...DOCUMENT, rules: DOCUMENT.rules.slice(1), otherwise: [] },
      0,
    );
    expect(await ask({ against: { draft: true } })).toMatchObject({
      expect: { rule: null, outcome: "silent" },
    });
    const document = { ...DOCUMENT, rules: [], otherwise: [{ addTags: ["new"] }] };
    expect(await ask({ against: { document } })).toMatchObject({ expect: { rule: null, tags: ["new"] } });
    expect(await ask({ against: { version: 99 } })).toBe("not_found");
  });

  const decide = `mutation ($input: DecideInput!) { decide(input: $input) { test } }`;
  const dryRun = async (input: object, token = gateway.owner) => {
    const given = { agentId: token === gateway.owner ? agentId : undefined, situation: ORDER, ...input };
    const { body } = await gateway.graphql(decide, { input: given }, { token });
    return body.data?.decide?.test ?? body.errors?.[0].extensions.code;
  };

  test("a dry run that would ask the model becomes a test with an empty answer", async () => {
    const question = { type: "question", data: {} };
    expect(await dryRun({ dryRun: true, situation: question, contact: { id: contactId } })).toMatchObject({
      model: { text: null },
      expect: { rule: "question", outcome: "silent", sends: [] },
    });
  });

  test("a dry run becomes a test, a stored decision does not", async () => {
    const about = { dryRun: true, contact: { id: contactId }, as: { contact: { tags: ["vip"] } } };
    const test = await dryRun(about);
    expect(test).toMatchObject({ contact: { name: "Alex Example", tags: ["vip"] }, expect: { rule: null } });
    expect(test.id).toMatch(/^otherwise-[a-z0-9]+$/);
    expect(await dryRun({ contact: { id: contactId } })).toBeUndefined();
    const { secret } = await mint(gateway, { scopes: ["agent:decide", "conversations:read"] });
    expect(await dryRun(about, secret)).toBe("insufficient_scope");
  });

  test("a key needs to read contacts and conversations", async () => {
    for (const scopes of [
      ["agent:decide", "conversations:read"],
      ["agent:decide", "contacts:read"],
    ] as const) {
      const { secret } = await mint(gateway, { scopes: [...scopes] });
      expect(await ask({}, secret)).toBe("insufficient_scope");
    }
  });

  test("a conversation that was closed before any rule was tried leaves nothing to test", async () => {
    const id = await staleDecision(gateway, agentId);
    const { status, text } = await gateway.rest("GET", `/agent/decisions/${id}/test`);
    expect([status, text]).toEqual([409, expect.stringContaining("The conversation was closed or")]);
  });

  test("an erased contact leaves nothing to test", async () => {
    await contactClient(gateway).erase(contactId);
    await gateway.services.erasures.finishAll(new AbortController().signal);
    expect(await ask({})).toBe("conflict");
  });
});
