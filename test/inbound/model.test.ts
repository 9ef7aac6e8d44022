import type { ServerResponse } from "node:http";
import { HOUR_MS, timestamp } from "../../src/common/time";
import { Conversation } from "../../src/features/conversations/conversation.entity";
import { Decision } from "../../src/features/decisions/decision.entity";
import { RuleMatch } from "../../src/features/decisions/rule-match.entity";
import { Message } from "../../src/features/messages/message.entity";
import { decisionClient, publish } from "../support/decisions";
import { onAnyEngine } from "../support/engines";
import { startGateway, type TestGateway } from "../support/gateway";
import { addMailSender, addSender, type Sender } from "../support/inbound";
import { answerWith } from "../support/model";
import { firstAgentId } from "../support/people";
import { Receiver } from "../support/receiver";
import { waitUntil } from "../support/wait-until";

onAnyEngine((engine) => {
  let model: Receiver;
  let gateway: TestGateway;
  let sender: Sender;
  let mail: Sender;
  beforeAll(async () => {
    model = await Receiver.start();
    gateway = await startGateway(engine, {
      env: {
        DELIVERY_WORKERS: "8",
        ALLOW_PRIVATE_TARGETS: "127.0.0.0/8",
        MODEL_URL: `${model.url()}v1`,
        MODEL_NAME: "small",
      },
    });
    const agentId = await firstAgentId(gateway);
    await publish(gateway, agentId, {
      burstSeconds: 0,
      situations: { "order.shipped": {} },
      templates: { answer: "They wrote: {{ message.text }}", shipped: "Shipped" },
      rules: [
        {
          id: "ask",
          on: "message.received",
          do: [{ ask: { prompt: "answer" } }],
          once: { per: "contact", within: "P1D" },
        },
        { id: "shipped", on: "order.shipped", do: [{ send: "shipped" }] },
      ],
    });
    sender = await addSender(gateway, { agentId });
    mail = await addMailSender(gateway, agentId, { port: 9, from: "Acme <support@acme.example>" });
  });
  /** Submits an e-mail and returns the response. */
  const write = async (from: string, text: string, ...headers: string[]) => {
    const { status, body } = await mail.mail([`From: ${from}`, ...headers, "", text].join("\r\n"));
    expect(status).toBe(202);
    return body;
  };
  const lastSequence = async (id: string) =>
    (await gateway.services.database.read((reader) => reader.findOneByOrFail(Conversation, { id })))
      .lastSequence;
  afterAll(async () => {
    await gateway.close();
    await model.close();
  });

  test("a message that arrives while the model thinks voids its answer, and a rule with `once` answers both messages", async () => {
    const thinking: ServerResponse[] = [];
    model.reaction = (response) => thinking.push(response);
    const { body: first } = await sender.text("anna", "Where is my order?");
    await waitUntil(() => thinking.length === 1);
    const { body: second } = await sender.text("anna", "It is number 17.");
    await waitUntil(() => thinking.length === 2);
    answerWith(thinking[0], { text: "Which order?", tags: [], handoff: false });
    answerWith(thinking[1], { text: "Order 17 arrives today.", tags: [], handoff: false });
    const { conversationId } = first;
    const read: typeof gateway.services.database.read = (query) => gateway.services.database.read(query);
    const messages = () =>
      read((reader) => reader.find(Message, { where: { conversationId }, order: { sequence: "ASC" } }));
    await waitUntil(async () => (await messages()).length === 3);
    expect((await messages())[2]).toMatchObject({ text: "Order 17 arrives today.", author: "agent" });
    const decisions = () =>
      read((reader) => reader.find(Decision, { where: { conversationId }, order: { id: "ASC" } }));
    await waitUntil(async () => (await decisions()).every(({ outcome }) => outcome !== null));
    expect(await decisions()).toMatchObject([
      { outcome: "stale", situation: { data: { messageIds: [first.id] } } },
      { outcome: "send", situation: { data: { messageIds: [first.id, second.id] } } },
    ]);
    expect(await read((reader) => reader.countBy(RuleMatch, { subjectId: first.contactId }))).toBe(1);
    expect(model.received[1]?.body).toContain("Where is my order?");
  });

  test.each<[string, string, (from: string, conversationId: string) => Promise<unknown>]>([
    [
      "an automatic e-mail arrives",
      "send",
      (from) => write(from, "I am away.", "Auto-Submitted: auto-replied"),
    ],
    [
      "the agent sends something else",
      "send",
      (_, conversationId) => decisionClient(gateway).decide({ type: "order.shipped", conversationId }),
    ],
    [
      "a scheduled message is canceled",
      "send",
      async (_, conversationId) => {
        const path = `/agent/conversations/${conversationId}/messages`;
        const { body } = await gateway.rest("POST", path, {
          body: { message: "later", sendAt: timestamp(HOUR_MS) },
        });
        expect((await gateway.rest("POST", `/messages/${body.id}/cancel`)).status).toBe(200);
      },
    ],
    ["the contact opts out", "stale", (from) => write(from, "STOP")],
  ])("if, while the model thinks, %s, the outcome is %s", async (_, outcome, change) => {
    const thinking: ServerResponse[] = [];
    model.reaction = (response) => thinking.push(response);
    const from = `anna-${Math.random()}@customer.test`;
    const { decisionId, conversationId } = await write(from, "Where is my order?");
    await waitUntil(() => thinking.length === 1);
    const before = await lastSequence(conversationId);
    await change(from, conversationId);
    expect(await lastSequence(conversationId)).toBeGreaterThan(before);
    answerWith(thinking[0], { text: "It arrives today.", tags: [], handoff: false });
    const decided = async () => (await decisionClient(gateway).find(decisionId)).body;
    await waitUntil(async () => (await decided()).state === "decided");
    expect(await decided()).toMatchObject({ outcome });
  });
});
