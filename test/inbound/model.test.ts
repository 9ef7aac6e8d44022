import type { ServerResponse } from "node:http";
import { Decision } from "../../src/features/decisions/decision.entity";
import { Message } from "../../src/features/messages/message.entity";
import { publish } from "../support/decisions";
import { onAnyEngine } from "../support/engines";
import { startGateway, type TestGateway } from "../support/gateway";
import { addSender, type Sender } from "../support/inbound";
import { completion } from "../support/model";
import { firstAgentId } from "../support/people";
import { Receiver } from "../support/receiver";
import { waitUntil } from "../support/wait-until";

onAnyEngine((engine) => {
  let model: Receiver;
  let gateway: TestGateway;
  let sender: Sender;
  beforeAll(async () => {
    model = await Receiver.start();
    gateway = await startGateway(engine, {
      env: { DELIVERY_WORKERS: "8", MODEL_URL: `${model.url()}v1`, MODEL_NAME: "small" },
    });
    const agentId = await firstAgentId(gateway);
    await publish(gateway, agentId, {
      burstSeconds: 0,
      templates: { answer: "They wrote: {{ message.text }}" },
      rules: [{ id: "ask", on: "message.received", do: [{ ask: { prompt: "answer" } }] }],
    });
    sender = await addSender(gateway, { agentId });
  });
  afterAll(async () => {
    await gateway.close();
    await model.close();
  });

  test("a message that arrives while the model thinks voids its answer, and is decided together with the previous one", async () => {
    const thinking: ServerResponse[] = [];
    model.reaction = (response) => thinking.push(response);
    const answer = (response: ServerResponse | undefined, text: string) =>
      response
        ?.setHeader("content-type", "application/json")
        .end(completion({ text, tags: [], handoff: false }));
    const { body: first } = await sender.text("anna", "Where is my order?");
    await waitUntil(() => thinking.length === 1);
    const { body: second } = await sender.text("anna", "It is number 17.");
    await waitUntil(() => thinking.length === 2);
    answer(thinking[0], "Which order?");
    answer(thinking[1], "Order 17 arrives today.");
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
    expect(model.received[1]?.body).toContain("Where is my order?");
  });
});
