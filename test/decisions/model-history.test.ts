import type { DataSource } from "typeorm";
import { v7 as uuid } from "uuid";
import { timestamp } from "../../src/common/time";
import { insertAll } from "../../src/database/insert-all";
import { Decision } from "../../src/features/decisions/decision.entity";
import { readHistory } from "../../src/features/decisions/model/history";
import { Message } from "../../src/features/messages/message.entity";
import { contactClient } from "../support/contacts";
import { addConversation, conversationClient } from "../support/conversations";
import { decisionClient, publish } from "../support/decisions";
import { onOneEngine } from "../support/engines";
import { mint, startGateway, type TestGateway } from "../support/gateway";
import { addSender } from "../support/inbound";
import { completion, PROTOCOLS } from "../support/model";
import { firstAgentId } from "../support/people";
import { Receiver } from "../support/receiver";
import { waitUntil } from "../support/wait-until";

const ASK = { prompt: "help", history: 10, texts: ["policy"], tags: ["vip"], maxLength: 60 };

const documentWith = (ask: object) => ({
  burstSeconds: 0,
  situations: { ask: {}, plain: {}, article: { text: "string" } },
  templates: {
    help: "Answer questions about orders.",
    article: "{{ situation.data.text }}",
    policy: "Returns to {{ agent.name }} are free, {{ contact.name }}.",
  },
  rules: [
    { id: "listen", on: "message.received", when: ["!message.text.contains('?')"], do: [] },
    { id: "answer", on: "message.received", do: [{ ask }] },
    { id: "ask", on: "ask", do: [{ ask }] },
    { id: "article", on: "article", do: [{ ask: { prompt: "article", texts: ["article"] } }] },
    { id: "plain", on: "plain", do: [{ ask: { prompt: "help" } }] },
  ],
  otherwise: [{ addTags: ["unanswered"] }],
});

const EXCHANGE = `query ($id: ID!) {
  decision(id: $id) {
    modelExchange { instructions texts { name text } history { author text isCut } answer }
  }
}`;

/** Returns the data that a request gave to the model. */
const dataIn = (body: string) => {
  const [, { content }] = JSON.parse(body).messages;
  return JSON.parse(/^<data>(.*)<\/data>$/s.exec(content)?.[1] ?? "");
};

onOneEngine((engine) => {
  let server: Receiver;
  let gateway: TestGateway;
  let agentId: string;
  let api: ReturnType<typeof decisionClient>;
  beforeAll(async () => {
    server = await Receiver.start();
    gateway = await startGateway(engine, {
      env: { MODEL_URL: `${server.url()}v1`, MODEL_NAME: "small", DELIVERY_WORKERS: "4" },
    });
    agentId = await firstAgentId(gateway);
    api = decisionClient(gateway);
    await publish(gateway, agentId, documentWith(ASK));
  });
  beforeEach(() => {
    server.received.length = 0;
  });
  /** Makes the server answer with the order number that it finds in the data, as a model would. */
  const answerBy = (write: (content: unknown) => string) => {
    server.reaction = (response) => {
      const order = /[A-Z]-\d+/.exec(server.received.at(-1)?.body ?? "")?.[0] ?? "?";
      response
        .setHeader("content-type", "application/json")
        .end(write({ text: `Order ${order} arrives on Monday.`, tags: ["vip"] }));
    };
  };
  afterAll(async () => {
    await gateway.close();
    await server.close();
  });

  const read: TestGateway["services"]["database"]["read"] = (query) => gateway.services.database.read(query);
  const messagesIn = (conversationId: string) =>
    read((reader) => reader.find(Message, { where: { conversationId }, order: { sequence: "ASC" } }));
  const decided = async (where: { conversationId: string; ruleId: string }) => {
    await waitUntil(() => read((reader) => reader.existsBy(Decision, { ...where, state: "decided" })));
    return read((reader) => reader.findOneByOrFail(Decision, where));
  };
  const exchangeOf = async (id: string) =>
    (await gateway.graphql(EXCHANGE, { id }, { token: gateway.key })).body.data.decision.modelExchange;

  test.each(Object.entries(PROTOCOLS))(
    "%s answers a question in the fifth message that needs the first, and the record is kept until erasure",
    async (name, write) => {
      answerBy(write);
      const sender = await addSender(gateway, { agentId });
      const texts = ["I ordered A-17.", "Blue, not red.", "Thank you!", "One more thing"];
      for (const text of texts) await sender.text(`anna ${name}`, text);
      await waitUntil(
        async () => !(await read((reader) => reader.existsBy(Decision, { state: "deciding" }))),
      );
      const { body } = await sender.text(`anna ${name}`, "When does it arrive?");
      const { conversationId } = body;
      const { id, contactId } = await decided({ conversationId, ruleId: "answer" });
      expect((await messagesIn(conversationId)).at(-1)).toMatchObject({
        text: "Order A-17 arrives on Monday.",
      });
      const data = dataIn(server.onlyRequest().body);
      expect(Object.keys(data)).toEqual([
        ...["situation", "contact", "conversation", "message", "agent", "now", "texts", "history"],
      ]);
      const history = texts.map((text) => ({ author: "contact", text }));
      expect(data).toMatchObject({ message: { text: "When does it arrive?" }, history });
      expect(data.history).toHaveLength(4);
      expect(data.texts).toEqual({ policy: "Returns to First agent are free, ." });
      const { content: answer } = JSON.parse(write({ text: "Order A-17 arrives on Monday.", tags: ["vip"] }))
        .choices[0].message;
      expect(await exchangeOf(id)).toEqual({
        instructions: "Answer questions about orders.",
        texts: [{ name: "policy", text: data.texts.policy }],
        history: history.map((each) => ({ ...each, isCut: null })),
        answer,
      });
      const found = await api.find(id);
      expect(found.body.modelExchange).toMatchObject({ texts: [{ name: "policy" }], history, answer });
      const { secret: token } = await mint(gateway, { scopes: ["agent:read"] });
      expect((await api.find(id, { token })).body).not.toHaveProperty("modelExchange");

      const { body: kept } = await gateway.rest("GET", `/agent/decisions/${id}/test`);
      const text = "Order A-17 arrives on Monday.";
      expect(kept.test).toMatchObject({
        message: { text: "When does it arrive?" },
        model: { text, tags: ["vip"] },
        expect: { rule: "answer", outcome: "send", sends: [{ template: null, text }], tags: ["vip"] },
      });
      const run = (ask: object) =>
        gateway.rest("POST", "/agent/configuration/tests", {
          body: { against: { document: { format: 1, ...documentWith(ask), tests: [kept.test] } } },
        });
      expect((await run(ASK)).body).toMatchObject({ total: 1, failed: 0 });
      expect((await run({ ...ASK, maxLength: 10 })).body).toMatchObject({ total: 1, failed: 1 });

      const exported = await gateway.rest("GET", `/agent/contacts/${contactId}/export`);
      expect(exported.text).toContain(JSON.stringify(answer));

      const replayed = async (document: object) => {
        const against = { document: { format: 1, ...document } };
        const { body } = await gateway.rest("POST", `/agent/decisions/${id}/replay`, { body: { against } });
        return [body.status, body.explanation.effects.map((each: { kind: string }) => each.kind)];
      };
      expect(await replayed(documentWith(ASK))).toEqual(["same", ["ask", "addTags", "send"]]);
      expect(await replayed(documentWith({ ...ASK, maxLength: 100 }))).toEqual([
        ...["changed", ["ask", "addTags", "send"]],
      ]);
      expect(await replayed(documentWith({ ...ASK, maxLength: 10 }))).toEqual([
        "changed",
        ["ask", "addTags"],
      ]);
      expect(server.received).toHaveLength(1);

      await contactClient(gateway).erase(contactId ?? "");
      await waitUntil(async () => (await exchangeOf(id)) === null);
      const { snapshot, effects } = await read((reader) => reader.findOneByOrFail(Decision, { id }));
      expect([snapshot, effects]).toEqual([null, []]);
    },
  );

  test("instructions and texts longer than a message are given to the model and shown as a whole", async () => {
    answerBy(completion);
    const article = "x".repeat(25_000);
    const { id: conversationId } = await addConversation(gateway, { agentId });
    await api.decide({ type: "article", data: { text: article }, conversationId });
    const { id } = await decided({ conversationId, ruleId: "article" });
    expect(dataIn(server.onlyRequest().body).texts).toEqual({ article });
    const { body } = await api.find(id);
    expect(body.modelExchange).toMatchObject({
      instructions: `<data>"${article}"</data>`,
      texts: [{ name: "article", text: article }],
    });
  });

  test("a dry run shows what the model would be given", async () => {
    const { id: conversationId } = await addConversation(gateway, { agentId });
    await conversationClient(gateway).send(conversationId, "About B-2");
    const { body } = await gateway.graphql(
      `mutation ($input: DecideInput!) { decide(input: $input) { modelExchange { history { author text } answer } } }`,
      { input: { situation: { type: "ask", data: {} }, conversationId, dryRun: true } },
      { token: gateway.key },
    );
    expect(body.data.decide.modelExchange).toEqual({
      history: [{ author: "api", text: "About B-2" }],
      answer: null,
    });
    expect(server.received).toEqual([]);
  });

  test("decisions without history need no statement for it, and decisions in a batch share one", async () => {
    const source: DataSource = Reflect.get(gateway.services.database, "source");
    const statements: string[] = [];
    const asked = async (type: string) => {
      const about = await Promise.all([1, 2, 3].map(() => addConversation(gateway, { agentId })));
      statements.length = 0;
      source.setOptions({ logging: ["query"] });
      Object.assign(source.logger, { logQuery: (query: string) => void statements.push(query) });
      const replies = await Promise.all(about.map(({ id }) => api.decide({ type, conversationId: id })));
      source.setOptions({ logging: false });
      expect(replies.map(({ status }) => status)).toEqual([202, 202, 202]);
      return statements.filter((query) => query.includes("AS page_0")).length;
    };
    expect(await asked("plain")).toBe(0);
    // The first decision may be made before the others arrive.
    expect([1, 2]).toContain(await asked("ask"));
  });

  test("a model gets the newest messages that the contact knows and the limits allow", async () => {
    const { id: conversationId } = await addConversation(gateway, { agentId });
    const add = (texts: readonly string[], more: object = {}) =>
      gateway.services.database.write(async (tx) => {
        const last = await tx.countBy(Message, { conversationId });
        const rows = texts.map((text, i) =>
          tx.create(Message, {
            ...{ id: uuid(), agentId, conversationId, text, status: "sent" as never, author: "api" as never },
            ...{ createdAt: timestamp(), sequence: last + i + 1, ...more },
          }),
        );
        await insertAll(tx, Message, rows);
        return rows.map(({ id }) => id);
      });
    const history = (count: number, except: string[] = []) =>
      gateway.services.database.write((tx) => readHistory(tx, { conversationId, count, except }));
    const textsOf = async (count: number, except?: string[]) =>
      (await history(count, except)).map(({ text }) => text);

    expect(await history(5)).toEqual([]);
    await add(["1", "2"]);
    for (const status of ["canceled", "failed"]) await add([status], { status });
    await add(["scheduled"], { status: "scheduled", sequence: null });
    const except = await add(["3", "4"], { status: "received", author: "contact" });
    expect(await textsOf(5)).toEqual(["1", "2", "3", "4"]);
    expect(await textsOf(2)).toEqual(["3", "4"]);
    expect(await textsOf(2, except)).toEqual(["1", "2"]);

    await add(["a".repeat(9_000), "b".repeat(9_000), "c"]);
    expect((await textsOf(50)).map((text) => text[0])).toEqual(["b", "c"]);
    for (const text of ["é".repeat(10_000), "\u{1f426}".repeat(10_000), "\u0001".repeat(10_000)]) {
      await add([text]);
      const given = await history(50);
      expect(given).toMatchObject([{ isCut: true }]);
      expect(text.startsWith(given[0]?.text ?? "?")).toBe(true);
      expect(Buffer.byteLength(JSON.stringify(given))).toBeLessThanOrEqual(16 * 1024);
    }
  });
});
