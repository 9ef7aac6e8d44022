import { Not, type ObjectLiteral } from "typeorm";
import { DAY_MS, timestamp } from "../../src/common/time";
import { Lane } from "../../src/delivery/lane.entity";
import { Agent } from "../../src/features/agents/agent.entity";
import { AuditEntry } from "../../src/features/audit/audit-entry.entity";
import { Contact } from "../../src/features/contacts/contact.entity";
import { Conversation } from "../../src/features/conversations/conversation.entity";
import { MAX_QUEUED } from "../../src/features/conversations/conversation.limits";
import { queueMessages } from "../../src/features/conversations/queue-messages";
import { Decision } from "../../src/features/decisions/decision.entity";
import { RuleMatch } from "../../src/features/decisions/rule-match.entity";
import { MESSAGE_ORDER, Message } from "../../src/features/messages/message.entity";
import { MessageAuthor } from "../../src/features/messages/message.enums";
import { Organization } from "../../src/features/organizations/organization.entity";
import { IdempotencyRecord } from "../../src/idempotency/idempotency-record.entity";
import { contactClient } from "../support/contacts";
import { addConversation, conversationClient } from "../support/conversations";
import { type DecisionBody, decisionClient, publish } from "../support/decisions";
import { mint, type Reply, type TestGateway } from "../support/gateway";
import { addLine } from "../support/lines";
import { firstAgentId, operatorOfAgent } from "../support/people";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const DOCUMENT = {
  situations: {
    "order.shipped": { orderId: "string", total: "double", tracking: "string?" },
    ...{ note: { text: "string" }, move: { to: "string" } },
    ...{
      close: {},
      "hand-over": {},
      tags: {},
      twice: {},
      all: {},
      "there-and-back": {},
      "to-both": {},
      many: {},
    },
  },
  templates: {
    shipped: 'Hi {{ contact.name | default: "there" }}, order {{ situation.data.orderId }} is on its way.',
    note: "{{ situation.data.text }}",
    bye: "Bye",
    one: "one",
    two: "two",
  },
  rules: [
    {
      id: "vip-shipped",
      on: "order.shipped",
      when: ['"vip" in contact.tags', "situation.data.total > 100.0"],
      do: [{ send: "shipped" }, { addTags: ["shipped"] }],
    },
    { id: "note", on: "note", do: [{ send: "note" }] },
    { id: "bye", on: "close", do: [{ send: "bye" }, { close: true }] },
    { id: "over", on: "hand-over", do: [{ handoff: "asked" }, { send: "bye" }] },
    {
      id: "to-second",
      on: "move",
      when: ['situation.data.to == "second"'],
      do: [{ send: "bye" }, { move: "second" }],
    },
    { id: "to-nowhere", on: "move", do: [{ move: "nowhere" }, { send: "bye" }] },
    { id: "tags", on: "tags", do: [{ addTags: ["a", "b"] }, { removeTags: ["a"] }] },
    {
      id: "twice",
      on: "twice",
      do: [{ send: "one" }, { send: "two", line: "second" }],
      once: { per: "contact", within: "P1D" },
    },
    {
      id: "there-and-back",
      on: "there-and-back",
      do: [{ move: "second" }, { send: "one" }, { move: "main" }, { handoff: "asked" }, { close: true }],
    },
    {
      id: "to-both",
      on: "to-both",
      do: [{ send: "one" }, { send: "two", line: "second" }, { move: "second" }],
    },
    ...Array.from({ length: 7 }, (_, i) => ({
      ...{ id: `many-${i}`, on: "many", continue: true },
      do: Array(20).fill({ addTags: [i < 5 ? "early" : "late"] }),
    })),
    { id: "first", on: "all", continue: true, do: [{ send: "one" }] },
    {
      id: "second",
      on: "*",
      when: ['situation.type in ["all", "twice", "undeclared"]'],
      do: [{ send: "two", delaySeconds: 3600 }],
    },
  ],
  otherwise: [{ handoff: "no rule" }],
};

const ID = "01a1fcd4-2b50-7d2f-9c1a-7b2a8d1a3c43";

/** Returns a response without times and IDs, which differ between two decisions. */
const comparable = (body: object): unknown =>
  JSON.parse(
    JSON.stringify(body, (name, value) =>
      /(^id|Id|At|^until|^now|^requestId)$/.test(name)
        ? undefined
        : typeof value === "string"
          ? value.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")
          : value,
    ),
  );

/** The tables that decisions write to, with the columns that identify a row and its version. */
const TABLES: readonly [new () => ObjectLiteral, string[]][] = [
  [Contact, ["id", "version"]],
  [Conversation, ["id", "version"]],
  [IdempotencyRecord, ["scope", "key"]],
  [RuleMatch, ["subjectId", "ruleId"]],
  ...[Decision, Lane, Message, AuditEntry].map((table): [new () => ObjectLiteral, string[]] => [
    table,
    ["id"],
  ]),
];

describeGateway({ engine: "any", env: { DELIVERY_WORKERS: "8" } }, (gateway) => {
  let agentId: string;
  let api: ReturnType<typeof decisionClient>;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    api = decisionClient(gateway);
    await addLine(gateway, { agentId, name: "second" });
    await publish(gateway, agentId, DOCUMENT);
  });

  const read: TestGateway["services"]["database"]["read"] = (query) => gateway.services.database.read(query);
  const newContact = async (input: object = {}) => {
    const address = `at ${Math.random()}`;
    const { body } = await contactClient(gateway).put({ addresses: [{ kind: "local", address }], ...input });
    return body.data.putContact.contact.id as string;
  };
  const decided = async (handed: DecisionBody) => {
    const { status, body } = await api.decide(handed);
    expect(body).toMatchObject({ state: "decided", decider: "rules" });
    expect(status).toBe(201);
    return body;
  };
  const delivered = (id: string) =>
    waitUntil(
      async () => (await read((reader) => reader.findOneByOrFail(Message, { id }))).status === "delivered",
    );
  const messagesOf = (decisionId: string) =>
    read((reader) => reader.find(Message, { where: { decisionId }, order: { id: "ASC" } }));

  test("a rule whose conditions are true sends, tags and explains why", async () => {
    const contactId = await newContact({ name: "Anna" });
    await contactClient(gateway).changeTags(contactId, { add: ["vip"] });
    const body = await decided({ data: { orderId: "A-17", total: 120 }, contact: { id: contactId } });
    const text = "Hi Anna, order A-17 is on its way.";
    expect(body).toEqual({
      id: expect.any(String),
      contactId,
      conversationId: expect.any(String),
      situation: { type: "order.shipped", data: { orderId: "A-17", total: 120 } },
      configurationVersion: body.explanation.version,
      decider: "rules",
      state: "decided",
      outcome: "send",
      ruleId: "vip-shipped",
      failedEffects: 0,
      createdAt: expect.any(String),
      decidedAt: expect.any(String),
      explanation: {
        version: expect.any(Number),
        now: body.createdAt,
        gates: [],
        rules: [
          {
            ruleId: "vip-shipped",
            matched: true,
            clauses: [
              {
                source: '"vip" in contact.tags',
                value: true,
                read: [{ path: "contact.tags", value: ["vip"] }],
              },
              {
                source: "situation.data.total > 100.0",
                value: true,
                read: [{ path: "situation.data.total", value: 120 }],
              },
            ],
          },
        ],
        effects: [
          {
            kind: "send",
            ruleId: "vip-shipped",
            status: "done",
            messageId: expect.any(String),
            template: "shipped",
            text,
            delaySeconds: 0,
          },
          { kind: "addTags", ruleId: "vip-shipped", status: "done", tags: ["shipped"] },
        ],
      },
    });
    const [message] = await messagesOf(body.id);
    expect(message).toMatchObject({
      id: body.explanation.effects[0].messageId,
      author: "agent",
      text,
      conversationId: body.conversationId,
      decisionId: body.id,
    });
    const shown = await gateway.rest("GET", `/messages/${message?.id}`);
    expect(shown.body).toMatchObject({ author: "agent", decisionId: body.id });
    expect((await contactClient(gateway).find({ id: contactId })).body.data.contact.tags).toEqual([
      "shipped",
      "vip",
    ]);
    expect((await api.find(body.id)).body).toEqual(body);
  });

  test("a false condition is shown with the values that it read, and `otherwise` applies", async () => {
    const { id: conversationId, contactId } = await addConversation(gateway, { agentId });
    await contactClient(gateway).changeTags(contactId, { add: ["vip"] });
    const body = await decided({ data: { orderId: "A-17", total: 90 }, conversationId });
    expect(body).toMatchObject({ contactId, conversationId, outcome: "handoff" });
    expect(body).not.toHaveProperty("ruleId");
    const [vip] = body.explanation.rules;
    expect(vip).toMatchObject({
      ruleId: "vip-shipped",
      matched: false,
      clauses: [{ value: true }, { value: false }],
    });
    expect(vip.clauses[1].read).toEqual([{ path: "situation.data.total", value: 90 }]);
    expect(body.explanation.gates).toEqual([{ name: "handler", passed: true }]);
    const { effects } = body.explanation;
    expect(effects).toEqual([{ kind: "handoff", status: "done", reason: "no rule" }]);
  });

  test("a handoff opens a conversation for the human, where the contact can be reached", async () => {
    const contact = { address: { kind: "local", address: `fresh ${Math.random()}` } };
    const body = await decided({ data: { orderId: "A-18", total: 1 }, contact });
    expect(body).toMatchObject({ outcome: "handoff", explanation: { effects: [{ status: "done" }] } });
    const found = await conversationClient(gateway).find(body.conversationId);
    expect(found.body.data.conversation).toMatchObject({ handler: "human", line: "main" });
    const phone = { address: { kind: "phone", address: "+4915112345670" } };
    const unreached = await decided({ data: { orderId: "A-19", total: 1 }, contact: phone });
    expect(unreached.explanation.effects).toMatchObject([
      { status: "failed", error: { code: "not_deliverable" } },
    ]);
  });

  test("an agent does nothing in a conversation that a human answers in", async () => {
    const { id: conversationId } = await addConversation(gateway, { agentId });
    await conversationClient(gateway).handOff(conversationId);
    const body = await decided({ type: "note", data: { text: "Hello" }, conversationId });
    expect(body).toMatchObject({ outcome: "silent", explanation: { effects: [{ status: "skipped" }] } });
    expect(body.explanation.gates).toEqual([{ name: "handler", passed: false }]);
  });

  test.each([
    ["close", "closed", "agent", "main"],
    ["hand-over", "open", "human", "main"],
    ["move", "open", "agent", "second"],
  ])("the messages of a decision are sent even if its type is %s", async (type, state, handler, line) => {
    const { id, conversationId } = await decided({
      type,
      ...(type === "move" && { data: { to: "second" } }),
      contact: { id: await newContact() },
    });
    const { body } = await conversationClient(gateway).find(conversationId);
    expect(body.data.conversation).toMatchObject({ state, handler, line });
    const [message] = await messagesOf(id);
    await delivered(message?.id ?? "");
  });

  test("a failed effect does not affect the others", async () => {
    const contact = { id: await newContact() };
    const { explanation, outcome } = await decided({ type: "move", data: { to: "?" }, contact });
    expect(outcome).toBe("send");
    expect(explanation.effects).toEqual([
      {
        kind: "move",
        ruleId: "to-nowhere",
        status: "failed",
        error: { code: "not_found", message: "The line does not exist." },
        line: "nowhere",
      },
      expect.objectContaining({ kind: "send", status: "done" }),
    ]);
    const nobody = await decided({ type: "tags" });
    expect(nobody.explanation.effects).toMatchObject([{ status: "failed" }, { status: "failed" }]);
    const note = { type: "note", data: { text: "Hello" } };
    const address = { kind: "phone", address: "+4915112345678" };
    const { contactId: id } = await decided({ ...note, contact: { address } });
    const { explanation: toPhone } = await decided({ ...note, contact: { id } });
    expect(toPhone.effects).toMatchObject([{ status: "failed", error: { code: "not_deliverable" } }]);
  });

  test("effects after the 100th fail without changing anything, and no further rules are tried", async () => {
    const contact = { id: await newContact() };
    const { ruleId, explanation, failedEffects } = await decided({ type: "many", contact });
    expect(ruleId).toBe("many-5");
    expect(explanation.rules.at(-1)).toMatchObject({ ruleId: "many-5", matched: true });
    expect(explanation.effects).toHaveLength(120);
    expect(explanation.effects.slice(0, 100)).toEqual(
      Array(100).fill(expect.objectContaining({ status: expect.stringMatching(/^(done|unchanged)$/) })),
    );
    const error = { code: "limit_reached", message: "A decision can have at most 100 effects." };
    expect(explanation.effects.slice(100)).toEqual(
      Array(20).fill({ kind: "addTags", ruleId: "many-5", status: "failed", error, tags: ["late"] }),
    );
    expect(failedEffects).toBe(20);
    const { body } = await contactClient(gateway).find(contact);
    expect(body.data.contact.tags).toEqual(["early"]);
  });

  test("tags are added and removed in order, and existing ones stay", async () => {
    const contact = { id: await newContact() };
    const first = await decided({ type: "tags", contact });
    expect(first.explanation.effects).toMatchObject([{ status: "done" }, { status: "done" }]);
    expect(first.outcome).toBe("silent");
    await contactClient(gateway).addTags(contact.id, ["a"]);
    const second = await decided({ type: "tags", contact });
    expect(second.explanation.effects).toMatchObject([{ status: "unchanged" }, { status: "done" }]);
    const { body } = await contactClient(gateway).find({ id: contact.id });
    expect(body.data.contact.tags).toEqual(["b"]);
  });

  test("a contact with a new ref or address is created, and found the next time", async () => {
    const contact = { address: { kind: "local", address: `new ${Math.random()}` } };
    const first = await decided({ type: "note", data: { text: "one" }, contact });
    const second = await decided({ type: "note", data: { text: "two" }, contact });
    expect(second).toMatchObject({ contactId: first.contactId, conversationId: first.conversationId });
    const byRef = await decided({ type: "tags", contact: { ref: `new ${Math.random()}` } });
    expect(byRef.contactId).toEqual(expect.any(String));
    expect(byRef).not.toHaveProperty("conversationId");
  });

  test("a message names the line to open a conversation on, unless the situation names the conversation", async () => {
    const contact = { id: await newContact() };
    const { id, explanation } = await decided({ type: "twice", contact });
    expect(explanation.effects).toMatchObject([{ status: "done" }, { status: "done", line: "second" }]);
    expect(explanation.effects[0]).not.toHaveProperty("line");
    const [one, two] = await messagesOf(id);
    expect(one?.conversationId).not.toBe(two?.conversationId);
    const { id: conversationId } = await addConversation(gateway, { agentId });
    const named = await decided({ type: "twice", conversationId });
    expect(named.explanation.effects[1]).not.toHaveProperty("line");
    expect((await messagesOf(named.id)).map((message) => message.conversationId)).toEqual([
      conversationId,
      conversationId,
    ]);
  });

  test("a rule with `once` does not match again for the contact until its period is over", async () => {
    const contact = { id: await newContact() };
    const again = async () => {
      const { ruleId, explanation } = await decided({ type: "twice", contact });
      return { ruleId, spent: explanation.rules[0].spent };
    };
    expect(await again()).toEqual({ ruleId: "twice", spent: undefined });
    expect(await again()).toEqual({ ruleId: "second", spent: true });
    await gateway.services.database.write((tx) =>
      tx.update(RuleMatch, { subjectId: contact.id }, { matchedAt: timestamp(-DAY_MS) }),
    );
    expect(await again()).toEqual({ ruleId: "twice", spent: undefined });
  });

  test("rules that continue are followed by others, and a delayed message holds back nothing", async () => {
    const contact = { id: await newContact() };
    const { id, conversationId, ruleId } = await decided({ type: "all", contact });
    expect(ruleId).toBe("second");
    const [one, two] = await messagesOf(id);
    await delivered(one?.id ?? "");
    expect(two).toMatchObject({ text: "two", status: "scheduled", sequence: null, scheduledReason: "delay" });
    const waits = Date.parse(two?.sendAt ?? "") - Date.parse(two?.createdAt ?? "");
    expect(Math.abs(waits - 3_600_000)).toBeLessThan(60_000);
    const next = await decided({ type: "note", data: { text: "three" }, conversationId });
    const [three] = await messagesOf(next.id);
    await delivered(three?.id ?? "");
    expect(three).toMatchObject({ sequence: 2 });
  });

  test("a situation without a contact is answered with a message outside of any conversation", async () => {
    const body = await decided({ type: "note", data: { text: "Hello" } });
    expect(body).not.toHaveProperty("contactId");
    const [message] = await messagesOf(body.id);
    expect(message).toMatchObject({ conversationId: null, text: "Hello", author: "agent" });
    await delivered(message?.id ?? "");
  });

  test("a message without a contact joins the conversation with the default contact, which stays as it is", async () => {
    const ref = `default ${Math.random()}`;
    await newContact({ ref });
    await publish(gateway, agentId, {
      ...DOCUMENT,
      defaultContact: ref,
      rules: [{ id: "nobody", on: "note", do: [{ send: "one" }, { send: "two" }, { handoff: "?" }] }],
    });
    const { id, explanation, ...body } = await decided({ type: "note", data: { text: "Hello" } });
    expect(body).not.toHaveProperty("conversationId");
    expect(explanation.effects.map(({ status }: { status: string }) => status)).toEqual([
      "done",
      "done",
      "failed",
    ]);
    const [one, two] = await messagesOf(id);
    expect([one?.sequence, two?.sequence]).toEqual([1, 2]);
    const { body: found } = await conversationClient(gateway).find(one?.conversationId ?? "");
    expect(found.data.conversation).toMatchObject({ handler: "agent", lastSequence: 2 });
    await publish(gateway, agentId, DOCUMENT);
  });

  /** Runs work while a transaction of another process holds the rows that decisions lock. */
  async function whileOthersWrite<T>(work: () => Promise<T>): Promise<T> {
    let result: Promise<T> | undefined;
    await gateway.services.database.write(async (tx) => {
      for (const entity of [Agent, Organization, Contact, Conversation])
        await tx.update(entity, { id: Not("") }, { createdAt: () => "created_at" });
      result = work();
      await result.catch(() => undefined);
    });
    return result as Promise<T>;
  }

  const stored = () =>
    read(async (reader) => {
      const rows: string[] = [];
      for (const [table, select] of TABLES) {
        for (const row of await reader.find(table, { select })) {
          // The calls of earlier tests are counted in the background.
          if (row.scope?.startsWith("keyUsage:")) continue;
          rows.push(JSON.stringify([table.name, row]));
        }
      }
      return rows;
    });

  const SITUATIONS: readonly DecisionBody[] = [
    { type: "note", data: { text: "Hello" } },
    { type: "close" },
    { type: "hand-over" },
    { type: "move", data: { to: "second" } },
    { type: "move", data: { to: "nowhere" } },
    { type: "there-and-back" },
    { type: "to-both" },
    { type: "tags" },
    { type: "twice" },
    { type: "all" },
    { type: "order.shipped", data: { orderId: "1", total: 1 } },
  ];
  const knownContact = async (situation: DecisionBody) => {
    const contact = { id: await newContact() };
    return { contact, ...(await decided({ ...situation, contact })) };
  };
  test.each<[string, () => Promise<object>, (readonly DecisionBody[])?]>([
    ["a new address", async () => ({ address: { kind: "local", address: `dry ${Math.random()}` } })],
    ["a new ref", async () => ({ ref: `dry ${Math.random()}` })],
    ["a known contact", async () => ({ id: await newContact() })],
    ["a contact with two conversations", async () => (await knownContact({ type: "twice" })).contact],
    [
      "a contact with a full queue",
      async () => {
        const { contact, conversationId } = await knownContact({ type: "note", data: { text: "x" } });
        const message = { agentId, text: "x", author: MessageAuthor.agent, sendAt: timestamp(DAY_MS) };
        await gateway.services.database.write(async (tx) => {
          const conversation = await tx.findOneByOrFail(Conversation, { id: conversationId });
          await tx.lockInsertOrder(MESSAGE_ORDER, [agentId]);
          const full = Array.from({ length: MAX_QUEUED }, () => ({ ...message, conversation }));
          await queueMessages(tx, gateway.services.lanes, full);
        });
        return contact;
      },
      SITUATIONS.slice(0, 3),
    ],
  ])(
    "a dry run about %s shows what the decision does, stores nothing, and waits for no transaction",
    async (_, about, situations = SITUATIONS) => {
      for (const situation of situations) {
        const handed = { ...situation, contact: await about() };
        const before = new Set(await stored());
        const dry = await whileOthersWrite(() =>
          api.decide({ ...handed, dryRun: true }, { idempotencyKey: "dry" }),
        );
        // Rows may be deleted in the meantime, because the lanes of earlier tests end with their messages.
        expect((await stored()).filter((row) => !before.has(row))).toEqual([]);
        const real = await api.decide(handed);
        expect(dry.status).toBe(real.status === 201 ? 200 : real.status);
        expect(comparable(dry.body)).toEqual(comparable(real.body));
        expect(JSON.stringify(dry.body)).not.toContain("messageId");
        expect(dry.body.id).toBeUndefined();
      }
    },
    60_000,
  );

  test("dry runs take no room in their agent's queue", async () => {
    const rooms = Reflect.get(gateway.services.agentQueues, "rooms");
    rooms.set(`queued ${agentId}`, { left: 1, countAgainAt: Number.POSITIVE_INFINITY });
    const handed = { type: "note", data: { text: "x" }, contact: { id: await newContact() } };
    const statuses: number[] = [];
    for (const dryRun of [true, true, false, true])
      statuses.push((await api.decide({ ...handed, dryRun })).status);
    rooms.delete(`queued ${agentId}`);
    expect(statuses).toEqual([200, 200, 201, 429]);
  });

  test("a repeat with the same idempotency key gets the same decision, and another situation is rejected", async () => {
    const handed = { type: "note", data: { text: "once", more: 1 }, contact: { id: await newContact() } };
    await publish(gateway, agentId, {
      ...DOCUMENT,
      situations: { ...DOCUMENT.situations, note: { text: "string", more: "int?" } },
    });
    const idempotencyKey = `key ${Math.random()}`;
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => api.decide(handed, { idempotencyKey })),
    );
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    const [{ body }] = replies as [Reply];
    expect(await messagesOf(body.id)).toHaveLength(1);
    // The order of members has no meaning in JSON.
    const reordered = await api.decide({ ...handed, data: { more: 1, text: "once" } }, { idempotencyKey });
    expect(reordered.body).toEqual(body);
    const other = await api.decide({ ...handed, data: { text: "other" } }, { idempotencyKey });
    expect([other.status, other.body.code]).toEqual([409, "idempotency_key_reused"]);
  });

  const withLists = (count: number) => ({ text: "x", list: Array.from({ length: count }, () => 1) });
  const NOT_FOUND = [404, "not_found"] as const;
  const INVALID = [400, "invalid_request"] as const;
  test.each<[string, DecisionBody, string, (readonly [number, string])?]>([
    ["an undeclared member", { type: "note", data: { text: "x", no: 1 } }, "situation.data.no"],
    ["a missing member", { type: "note" }, "situation.data.text"],
    ["a wrong type", { type: "note", data: { text: 1 } }, "situation.data.text"],
    ["a bad type", { type: "No Such" }, "situation.type"],
    ["a long type", { type: "x".repeat(101) }, "situation.type"],
    ["a NUL", { type: "note", data: { text: "\0" } }, "situation.data"],
    ["too much data", { type: "any", data: { a: "x".repeat(33_000) } }, "situation.data"],
    ["a long list", { type: "any", data: withLists(101) }, "situation.data.list"],
    ["an unsafe integer", { type: "any", data: { n: 2 ** 60 } }, "situation.data.n"],
    [
      "deep data",
      { type: "any", data: JSON.parse(`${'{"a":'.repeat(11)}1${"}".repeat(11)}`) },
      "situation.data",
    ],
    ["an unknown contact", { contact: { id: ID }, type: "tags" }, "", NOT_FOUND],
    ["an unknown conversation", { conversationId: ID, type: "tags" }, "", NOT_FOUND],
    ["no ID", { conversationId: "x\0", type: "tags" }, "", NOT_FOUND],
    ["two names of a contact", { contact: { id: ID, ref: "x" }, type: "tags" }, "contact.ref"],
    ["a blank ref", { contact: { ref: " " }, type: "tags" }, "contact.ref"],
  ])("%s is rejected", async (_, handed, path, expected = INVALID) => {
    const decisions = () => read((reader) => reader.count(Decision));
    const before = await decisions();
    const { status, body } = await api.decide(handed);
    expect([status, body.code]).toEqual(expected);
    expect(body.message).toContain(path);
    expect(await decisions()).toBe(before);
  });

  test("a situation about a closed conversation, or one with another contact, is rejected", async () => {
    const { conversationId } = await decided({ type: "close", contact: { id: await newContact() } });
    expect((await api.decide({ type: "tags", conversationId })).body.code).toBe("conflict");
    const { id } = await addConversation(gateway, { agentId });
    const contact = { id: await newContact() };
    const rejected = await api.decide({ type: "tags", conversationId: id, contact });
    expect([rejected.status, rejected.body.code]).toEqual([409, "conflict"]);
  });

  test("another agent of the organization decides by its own configuration and finds none of these objects", async () => {
    const own = await decided({ type: "note", data: { text: "x" }, contact: { id: await newContact() } });
    const context = await operatorOfAgent(gateway, agentId);
    const slug = `other-${Math.random().toString(36).slice(2)}`;
    await gateway.services.agents.create(context, { slug, name: "Other" });
    const { secret: token } = await mint(gateway, { agent: slug });
    const client = decisionClient(gateway, token);
    expect((await client.find(own.id)).status).toBe(404);
    expect((await client.list()).body).toEqual([]);
    const { contactId, conversationId } = own;
    expect((await client.decide({ type: "tags", contact: { id: contactId } })).status).toBe(404);
    expect((await client.decide({ type: "tags", conversationId })).status).toBe(404);
    expect((await client.decide({ type: "note", data: { text: "x" } })).body).toMatchObject({
      configurationVersion: 1,
      outcome: "silent",
    });
  });

  test("an erased contact leaves decisions without the contact's data", async () => {
    const contactId = await newContact({ name: "Anna Secret" });
    const { id } = await decided({ data: { orderId: "secret", total: 1 }, contact: { id: contactId } });
    await contactClient(gateway).erase(contactId);
    const { body } = await api.find(id);
    expect(body).toMatchObject({ id, contactId, situation: { type: "order.shipped", data: {} } });
    expect(body).not.toHaveProperty("explanation");
    const row = await read((reader) => reader.findOneByOrFail(Decision, { id }));
    expect(JSON.stringify(row)).not.toMatch(/secret/i);
  });

  test("decisions are listed newest first, including a conversation's decisions", async () => {
    const contact = { id: await newContact() };
    const first = await decided({ type: "note", data: { text: "one" }, contact });
    const second = await decided({ type: "note", data: { text: "two" }, contact });
    const { body } = await api.list(`?conversationId=${first.conversationId}&limit=1`);
    expect(body).toMatchObject([{ id: second.id }]);
    const all = await api.list();
    expect(all.body.slice(0, 2)).toMatchObject([{ id: second.id }, { id: first.id }]);
  });
});
