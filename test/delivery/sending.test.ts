import type { ServerResponse } from "node:http";
import { Webhook } from "standardwebhooks";
import { v7 as uuid } from "uuid";
import { timestamp } from "../../src/common/time";
import { Lane } from "../../src/delivery/lane.entity";
import { AuditEntry } from "../../src/features/audit/audit-entry.entity";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { Line, LineState, WhenUncertain } from "../../src/features/lines/line.entity";
import { DeliveryAttempt } from "../../src/features/messages/delivery-attempt.entity";
import { Message } from "../../src/features/messages/message.entity";
import { HeldReason, MessageAuthor, MessageStatus } from "../../src/features/messages/message.enums";
import { CONVERSATION_LANE } from "../../src/features/messages/message-lanes";
import { signingSecretOf } from "../../src/instance-key/signing-secrets";
import { closedAfterEach } from "../support/closing";
import { addContact, contactClient } from "../support/contacts";
import { conversationClient } from "../support/conversations";
import { type GatewayOptions, mint, operator, startGateway } from "../support/gateway";
import { addLine, addWebhookLine, lineClient } from "../support/lines";
import { MailServer, rejection, ScriptedMailServer } from "../support/mail-server";
import { addAgent, addOrganization, firstAgentId } from "../support/people";
import { type Reaction, Receiver } from "../support/receiver";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";
import { waitUntil, withResolver } from "../support/wait-until";

const SENDS = {
  env: { DELIVERY_WORKERS: "8", ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" },
} satisfies GatewayOptions;

const answering =
  (status: number, body = "", headers: Record<string, string> = {}): Reaction =>
  (response) =>
    response.writeHead(status, headers).end(body);

/** Responds to one request after the other as listed; the last reaction repeats. */
function inTurn(...reactions: Reaction[]): Reaction {
  return (...args) => (reactions.length > 1 ? reactions.shift() : reactions[0])?.(...args);
}

describeGateway({ engine: "any", ...SENDS }, (gateway, engine) => {
  const keep = closedAfterEach();
  let agentId: string;
  const api = conversationClient(gateway);
  let receiver: Receiver;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
  });
  beforeEach(async () => {
    receiver = await startReceiver();
  });

  const startReceiver = () => keep(Receiver.start());
  /** Adds an agent, because an agent can have at most 50 lines. */
  const anotherAgent = async () => {
    const { id, token } = await addAgent(gateway);
    return { agentId: id, token, api: conversationClient(gateway, token) };
  };
  const addMailLine = ({ port }: Pick<MailServer, "port">, ofAgent = agentId) =>
    addLine(gateway, {
      agentId: ofAgent,
      settings: { email: { host: "127.0.0.1", port, security: "none", from: "acme@example.com" } },
    } as never);
  const write = (statement: string, parameters: unknown[]) => gateway.rows.execute(statement, parameters);

  /** Adds a webhook line that posts to a receiver, and a conversation with messages on that line. */
  async function conversing({
    messages = ["Hello"],
    to = receiver,
    line,
    as = { agentId, api },
    ...settings
  }: Settings = {}) {
    const { agentId, api } = as;
    const { id: lineId, name } =
      line === undefined
        ? await addWebhookLine(gateway, { agentId, url: to.url(), ...settings })
        : await gateway.rows.findOneByOrFail(Line, { agentId, name: line });
    const address = `+49151${String(Math.random()).slice(2, 10)}`;
    const contactId = await addContact(gateway, {
      agentId,
      addresses: [{ kind: AddressKind.phone, address }],
    });
    const { body } = await api.open({ contact: { id: contactId }, line: name });
    const { id } = body.data.openConversation.conversation;
    const ids: string[] = [];
    for (const message of messages) ids.push(await send(id, message, api));
    return { id, contactId, address, lineId, line: name, ids, first: ids[0] as string };
  }
  interface Settings {
    messages?: string[];
    to?: Receiver;
    /** The name of an existing line. */
    line?: string;
    /** The agent, and the client with its key. */
    as?: { agentId: string; api: typeof api };
    ratePerMinute?: number;
    whenUncertain?: WhenUncertain;
  }
  const send = async (conversation: string, message: string, as = api): Promise<string> =>
    (await as.send(conversation, message)).body.data.sendToConversation.id;

  const messageOf = (id: string) => gateway.rows.findOneByOrFail(Message, { id });
  /** Waits until a message matches. */
  async function become(id: string, expected: Partial<Message>): Promise<Message> {
    let message = {} as Message;
    await waitUntil(async () => {
      message = await messageOf(id);
      return Object.entries(expected).every(([field, value]) => message[field as keyof Message] === value);
    });
    return message;
  }
  const attemptsOf = (messageId: string) =>
    gateway.rows.find(DeliveryAttempt, { where: { messageId }, order: { number: "ASC" } });
  /** Makes the next attempt due. */
  async function hurry(id: string): Promise<void> {
    const past = timestamp(-1);
    await write("update message set not_before = $1 where id = $2", [past, id]);
    const { conversationId } = await messageOf(id);
    await write("update lane set wake_at = $1 where id = $2 and lease is null", [past, conversationId ?? id]);
    gateway.services.lanes.notify();
  }
  /** Ends the lease of a lane, as if its process had been killed. */
  async function loseProcess(id: string): Promise<void> {
    const past = timestamp(-1);
    await write("update lane set lease_until = $1, wake_at = $1 where id = $2", [past, id]);
    gateway.services.lanes.notify();
  }
  const arrived = (count: number, at = receiver) => waitUntil(() => at.received.length >= count);

  test("a message arrives as one POST with a valid signature, and is sent or delivered as the response says", async () => {
    receiver.reaction = inTurn(answering(202, '{"providerId":"p-1"}'), answering(200, '{"delivered":true}'));
    const { first, ids, id, contactId, address, lineId } = await conversing({ messages: ["One", "Two"] });
    const sent = await become(first, { status: MessageStatus.sent });
    expect(sent).toMatchObject({ attempts: 1, providerId: "p-1", deliveredAt: null, lineId });
    const delivered = await become(ids[1] as string, { status: MessageStatus.delivered });
    expect(delivered).toMatchObject({ attempts: 1, sentAt: delivered.deliveredAt });
    expect(receiver.received).toHaveLength(2);
    const [request] = receiver.received;
    const line = await gateway.rows.findOneByOrFail(Line, { id: lineId });
    const secret = signingSecretOf(line, await gateway.services.instanceKey.current());
    expect(new Webhook(secret).verify(request?.body ?? "", request?.headers ?? {})).toEqual({
      id: first,
      type: "message",
      conversationId: id,
      contactId,
      to: address,
      text: "One",
      createdAt: sent.createdAt,
    });
    expect(request?.headers["webhook-id"]).toBe(first);
  });

  test("e-mails say whether a program wrote them, so that no other program answers", async () => {
    const server = await keep(MailServer.start());
    const { id: lineId, name } = await addMailLine(server);
    await lineClient(gateway).pause(lineId);
    const address = `anna-${uuid()}@example.com`;
    const contactId = await addContact(gateway, {
      agentId,
      addresses: [{ kind: AddressKind.email, address }],
    });
    const { body } = await api.open({ contact: { id: contactId }, line: name });
    const authors = [
      [MessageAuthor.agent, "auto-replied"],
      [MessageAuthor.system, "auto-replied"],
      [MessageAuthor.api, "auto-generated"],
      [MessageAuthor.member, undefined],
    ] as const;
    for (const [author] of authors) {
      const id = await send(body.data.openConversation.conversation.id, author);
      await write("update message set author = $1 where id = $2", [author, id]);
    }
    await lineClient(gateway).resume(lineId);
    await waitUntil(() => server.received.length === authors.length);
    expect(
      server.received.map(({ email }) => [
        email.text?.trim(),
        email.headers.find(({ key }) => key === "auto-submitted")?.value,
      ]),
    ).toEqual(authors);
  });

  /** Expects a message's next attempts to fail and to be followed by these waits (s), and skips the waits. */
  async function expectWaits(id: string, waits: number[]): Promise<void> {
    for (const [attempt, seconds] of waits.entries()) {
      const { notBefore, updatedAt } = await become(id, {
        attempts: attempt + 1,
        status: MessageStatus.queued,
        heldReason: "retry" as never,
      });
      const wait = Date.parse(notBefore ?? "") - Date.parse(updatedAt ?? "");
      expect(wait).toBeGreaterThanOrEqual(seconds * 1000 - 50);
      expect(wait).toBeLessThanOrEqual(seconds * 1200 + 50);
      await hurry(id);
    }
  }

  test("a message that fails is sent again with the same ID, at growing intervals", async () => {
    receiver.reaction = inTurn(answering(500), answering(500), answering(500), answering(200));
    const { first, lineId } = await conversing();
    await expectWaits(first, [5, 30, 120]);
    expect(await become(first, { status: MessageStatus.sent })).toMatchObject({
      attempts: 4,
      heldReason: null,
      notBefore: null,
      errorText: null,
    });
    expect(receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual(Array(4).fill(first));
    const { body } = await gateway.graphql(
      "query ($id: ID!) { message(id: $id) { deliveryAttempts { number outcome code detail lineId startedAt endedAt } } }",
      { id: first },
      { token: gateway.key },
    );
    const failed = { outcome: "retryable", code: "http_500", detail: expect.stringContaining("500") };
    expect(body.data.message.deliveryAttempts).toEqual(
      [failed, failed, failed, { outcome: "accepted", code: null, detail: null }].map((outcome, i) => ({
        number: i + 1,
        lineId,
        startedAt: expect.any(String),
        endedAt: expect.any(String),
        ...outcome,
      })),
    );
  });

  test("a receiver that asks the gateway to wait gets no earlier attempt, and can shorten only three waits", async () => {
    receiver.reaction = answering(429, "", { "retry-after": "40" });
    const { first } = await conversing();
    await expectWaits(first, [40, 40, 40, 600]);
  });

  test("a handoff or release does not shorten the wait, and a message that a local line delivers has no error", async () => {
    receiver.reaction = answering(429, "", { "retry-after": "40" });
    const as = await anotherAgent();
    const { id, first, address } = await conversing({ as });
    const { notBefore } = await become(first, { heldReason: HeldReason.retry });
    await as.api.handOff(id);
    await as.api.release(id);
    expect(await messageOf(first)).toMatchObject({ heldReason: HeldReason.retry, notBefore });
    const { name } = await addLine(gateway, { agentId: as.agentId });
    const addresses = ["phone", "local"].map((kind) => ({ kind, address }));
    await contactClient(gateway, as.token).put({ addresses });
    await as.api.move(id, { line: name, pending: "carry" });
    expect(await become(first, { status: MessageStatus.delivered })).toMatchObject({ errorText: null });
    expect(receiver.received).toHaveLength(1);
  });

  test("a message that could not be delivered is sent as soon as the URL of its line is corrected", async () => {
    receiver.reaction = answering(503, "", { "retry-after": "600" });
    const { first, lineId } = await conversing({ as: await anotherAgent() });
    await become(first, { heldReason: HeldReason.retry });
    const repaired = await startReceiver();
    await lineClient(gateway).update({ id: lineId, ratePerMinute: 600 });
    expect(await messageOf(first)).toMatchObject({ notBefore: expect.any(String) });
    await lineClient(gateway).update({ id: lineId, webhook: { url: repaired.url() } });
    await become(first, { status: MessageStatus.sent, attempts: 2 });
    expect(repaired.received).toHaveLength(1);
  });

  test("after its line is resumed, a message behind a failing one waits only for that message", async () => {
    receiver.reaction = answering(503);
    const { first, ids, lineId } = await conversing({
      as: await anotherAgent(),
      messages: ["failing", "behind"],
    });
    await become(first, { heldReason: HeldReason.retry });
    await lineClient(gateway).pause(lineId);
    await become(ids[1] as string, { heldReason: HeldReason.line_paused });
    await lineClient(gateway).resume(lineId);
    await become(first, { heldReason: HeldReason.retry, attempts: 2 });
    expect(await messageOf(ids[1] as string)).toMatchObject({ heldReason: null, attempts: 0 });
  });

  test("a message that the receiver rejects fails after one attempt, and the next one is sent", async () => {
    receiver.reaction = inTurn(answering(400, "no such number"), answering(200));
    const { first, ids } = await conversing({ messages: ["rejected", "taken"] });
    const failed = await become(first, { status: MessageStatus.failed });
    expect(failed).toMatchObject({ errorCode: "rejected", attempts: 1, sentAt: null });
    expect(failed.errorText).toContain("no such number");
    await become(ids[1] as string, { status: MessageStatus.sent });
    expect(receiver.received).toHaveLength(2);
  });

  test("messages in a conversation arrive in order, and messages in others overtake a slow one", async () => {
    const { promise: slow, resolve: release } = withResolver();
    receiver.reaction = (response, request) => {
      if (request.url !== "/") return response.end();
      slow.then(() => response.end());
    };
    const texts = Array.from({ length: 12 }, (_, i) => `number ${i}`);
    const { id } = await conversing({ messages: texts });
    await arrived(1);
    const quick = await startReceiver();
    const other = await conversing({ messages: ["quick"], to: quick });
    await become(other.first, { status: MessageStatus.sent });
    expect(receiver.received).toHaveLength(1);
    release();
    await arrived(texts.length);
    expect(receiver.received.map(({ body }) => JSON.parse(body).text)).toEqual(texts);
    await waitUntil(async () => (await gateway.rows.countBy(Lane, { id })) === 0);
  });

  test.each([["cancel"], ["carry"]])(
    "a move with %s names the message in flight, and the old line sends nothing else",
    async (pending) => {
      const held = receiver.hold();
      const { id, ids } = await conversing({ messages: ["leaving", "waiting"] });
      await arrived(1);
      const elsewhere = await startReceiver();
      const line = await addWebhookLine(gateway, { agentId, url: elsewhere.url() });
      const moved = await api.move(id, { line: line.name, pending });
      const [leaving, waiting] = ids as [string, string];
      const isCarried = pending === "carry";
      expect(moved.body.data.moveConversation).toMatchObject({
        inFlight: leaving,
        canceled: isCarried ? [] : [waiting],
        carried: isCarried ? [waiting] : [],
      });
      if (!isCarried) expect(await messageOf(waiting)).toMatchObject({ errorCode: "moved" });
      await send(id, "later");
      expect(elsewhere.received).toHaveLength(0);
      held[0]?.end();
      await arrived(isCarried ? 2 : 1, elsewhere);
      const texts = elsewhere.received.map(({ body }) => JSON.parse(body).text);
      expect(texts).toEqual(isCarried ? ["waiting", "later"] : ["later"]);
      expect(await messageOf(leaving)).toMatchObject({ status: "sent" });
      expect(receiver.received).toHaveLength(1);
    },
  );

  test.each([
    ["cancel", "canceled"],
    ["carry", "sent"],
  ])("a message that was in flight and failed is, after a move with %s, %s", async (pending, status) => {
    const held = receiver.hold();
    const { id, first } = await conversing();
    await arrived(1);
    const elsewhere = await startReceiver();
    const line = await addWebhookLine(gateway, { agentId, url: elsewhere.url() });
    await api.move(id, { line: line.name, pending });
    held[0]?.writeHead(503).end();
    if (pending === "carry") {
      await become(first, { status: MessageStatus.queued });
      await hurry(first);
    }
    expect(await become(first, { status: status as MessageStatus })).toMatchObject({
      errorCode: pending === "carry" ? null : "moved",
    });
    expect([receiver.received.length, elsewhere.received.length]).toEqual([1, pending === "carry" ? 1 : 0]);
  });

  test("a message in flight that a move canceled is not sent again after a later handoff or release", async () => {
    const held = receiver.hold();
    const { id, first } = await conversing();
    await arrived(1);
    const elsewhere = await startReceiver();
    const line = await addWebhookLine(gateway, { agentId, url: elsewhere.url() });
    await api.move(id, { line: line.name, pending: "cancel" });
    await api.handOff(id);
    const { body } = await api.release(id);
    expect(body.data.releaseConversation).toMatchObject({ conversation: { version: 4 }, inFlight: first });
    held[0]?.writeHead(503).end();
    expect(await become(first, { status: MessageStatus.canceled })).toMatchObject({ errorCode: "moved" });
    expect(elsewhere.received).toEqual([]);
  });

  test.each([
    [WhenUncertain.retry, "queued", null],
    [WhenUncertain.fail, "failed", "uncertain"],
  ] as const)(
    "on a line with %s for uncertain attempts, a message without a response is %s",
    async (whenUncertain, status, errorCode) => {
      receiver.reaction = (response) => response.destroy();
      const { first } = await conversing({ whenUncertain });
      await become(first, { status: status as MessageStatus, attempts: 1 });
      expect(await messageOf(first)).toMatchObject({ errorCode });
      expect(await attemptsOf(first)).toMatchObject([{ outcome: "uncertain" }]);
      if (whenUncertain !== WhenUncertain.retry) return;
      receiver.reaction = answering(200);
      await hurry(first);
      await become(first, { status: MessageStatus.sent });
      expect(receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual([first, first]);
    },
  );

  test.each([
    [WhenUncertain.retry, "sent", 2],
    [WhenUncertain.fail, "failed", 1],
  ] as const)(
    "a lost process's message is taken over when its lease ends; with %s, it is %s",
    async (whenUncertain, status, requests) => {
      const held: Parameters<Reaction>[0][] = [];
      receiver.reaction = inTurn((response) => held.push(response), answering(200));
      const { first, id } = await conversing({ whenUncertain });
      await arrived(1);
      await loseProcess(id);
      const taken = await become(first, { status: status as MessageStatus });
      expect(await attemptsOf(first)).toMatchObject([
        { outcome: "uncertain", code: "process_lost" },
        ...(requests === 2 ? [{ outcome: "accepted" }] : []),
      ]);
      // The response to the first attempt comes late, and changes only that attempt.
      held[0]?.writeHead(200, { "content-type": "application/json" }).end('{"delivered":true}');
      await waitUntil(async () => (await attemptsOf(first))[0]?.outcome === "accepted");
      expect(await messageOf(first)).toEqual(taken);
      expect(receiver.received).toHaveLength(requests);
    },
  );

  test("a lost process's result changes only its own attempt while another process sends the message", async () => {
    const held = receiver.hold();
    const { first, id } = await conversing();
    await arrived(1);
    await loseProcess(id);
    await arrived(2);
    const sending = await messageOf(first);
    held[0]?.writeHead(400).end();
    await waitUntil(async () => (await attemptsOf(first))[0]?.outcome === "permanent");
    expect(await messageOf(first)).toEqual(sending);
    held[1]?.writeHead(200).end();
    await become(first, { status: MessageStatus.sent });
    expect(await attemptsOf(first)).toMatchObject([{ outcome: "permanent" }, { outcome: "accepted" }]);
  });

  test.each([
    ["loses its connection", "unheard"],
    ["is lost with its process", "lost"],
  ])(
    "an e-mail fails if it may have arrived twice and the third attempt %s, because its recipient may have three copies",
    async (third, slug) => {
      let texts = 0;
      const server = await keep(
        ScriptedMailServer.start({
          message: (socket) => {
            texts += 1;
            if (texts < 3 || third === "loses its connection") socket.end();
          },
        }),
      );
      const { agentId } = await addOrganization(gateway, slug);
      const { secret } = await mint(gateway, { agent: `${slug}-agent` });
      const api = conversationClient(gateway, secret);
      const { name } = await addMailLine(server, agentId);
      const addresses = [{ kind: AddressKind.email, address: `${uuid()}@example.com` }];
      const contact = { id: await addContact(gateway, { agentId, addresses }) };
      const { conversation, message } = (await api.open({ contact, line: name, message: "Hello" })).body.data
        .openConversation;
      for (const attempts of [1, 2]) {
        await become(message.id, { status: MessageStatus.queued, attempts });
        await hurry(message.id);
      }
      await waitUntil(() => texts === 3);
      if (third === "is lost with its process") {
        await loseProcess(conversation.id);
      }
      const failed = await become(message.id, { status: MessageStatus.failed });
      expect(failed).toMatchObject({ attempts: 3, errorCode: "uncertain" });
    },
  );

  test.each([
    [WhenUncertain.fail, WhenUncertain.retry, "failed", 0],
    [WhenUncertain.retry, WhenUncertain.fail, "sent", 1],
  ] as const)(
    "a lost process's message in flight on a line with %s that is carried to a line with %s is %s",
    async (from, to, status, requests) => {
      receiver.reaction = () => undefined;
      const { first, id } = await conversing({ whenUncertain: from });
      await arrived(1);
      const elsewhere = await startReceiver();
      const line = await addWebhookLine(gateway, { agentId, url: elsewhere.url(), whenUncertain: to });
      await api.move(id, { line: line.name, pending: "carry" });
      await loseProcess(id);
      await become(first, { status: status as MessageStatus });
      expect([receiver.received.length, elsewhere.received.length]).toEqual([1, requests]);
    },
  );

  slowTest(
    "conversations that wait for a line without responses neither keep others waiting nor loop",
    async () => {
      receiver.reaction = inTurn(answering(500), () => undefined);
      const failed = await conversing();
      await become(failed.first, { status: MessageStatus.queued, attempts: 1 });
      const { line } = failed;
      await conversing({ line });
      await arrived(2);
      const [waiting, moving] = [await conversing({ line }), await conversing({ line })];
      const laneOf = ({ id }: { id: string }) => gateway.rows.findOneBy(Lane, { id });
      await waitUntil(
        async () => (await laneOf(moving))?.channelId != null && (await laneOf(waiting))?.channelId != null,
      );
      const before = await laneOf(waiting);

      const healthy = await startReceiver();
      const other = await conversing({ to: healthy, messages: ["one", "two", "three"] });
      await become(other.ids[2] as string, { status: MessageStatus.sent });
      expect(await laneOf(waiting)).toEqual(before);
      await api.move(moving.id, { line: other.line, pending: "carry" });
      await become(moving.first, { status: MessageStatus.sent });
      await lineClient(gateway).pause(failed.lineId);
      await become(waiting.first, { heldReason: "line_paused" as never });
      expect(receiver.received).toHaveLength(2);
    },
  );

  test("lines that fail and then hang leave senders to a line that responds", async () => {
    let hanging = 0;
    let isOver = false;
    receiver.reaction = answering(500);
    const failed: string[] = [];
    for (let i = 0; i < 9; i++) {
      const { first } = await conversing();
      await become(first, { attempts: 1, status: MessageStatus.queued });
      failed.push(first);
    }
    receiver.reaction = (response) => {
      hanging += 1;
      response.once("close", () => {
        isOver = true;
      });
    };
    for (const id of failed) await hurry(id);
    await waitUntil(() => hanging >= 3);
    const healthy = await conversing({ to: await startReceiver(), messages: ["one", "two", "three"] });
    await become(healthy.ids[2] as string, { status: MessageStatus.sent });
    expect([hanging, isOver]).toEqual([3, false]);
  });

  test("slow lines of one organization leave senders to lines of another", async () => {
    const late = receiver.hold();
    for (let i = 0; i < 10; i++) await conversing();
    await waitUntil(() => late.length >= 6);
    const { agentId } = await addOrganization(gateway, "prompt");
    const { secret } = await mint(gateway, { agent: "prompt-agent" });
    const as = { agentId, api: conversationClient(gateway, secret) };
    const prompt = await conversing({ as, to: await startReceiver(), messages: ["one", "two", "three"] });
    await become(prompt.ids[2] as string, { status: MessageStatus.sent });
    expect(late).toHaveLength(6);
    receiver.reaction = (response) => response.end();
    for (const response of late) response.end();
    await arrived(10);
  });

  test("a line whose last attempt failed gets only the senders that others leave", async () => {
    const testDatabase = await keep(engine.createMigratedDatabase());
    const one = { ...SENDS.env, DELIVERY_WORKERS: "1" };
    const single = await keep(startGateway(engine, { env: one, database: testDatabase }));
    const { database } = single.services;
    const agent = await firstAgentId(single);
    const failing = await addWebhookLine(single, { agentId: agent, url: receiver.url() });
    const healthy = await startReceiver();
    const other = await addWebhookLine(single, { agentId: agent, url: healthy.url() });
    const client = conversationClient(single);
    const say = async (line: string) => {
      const address = { kind: AddressKind.phone, address: `+49151${String(Math.random()).slice(2, 10)}` };
      const contact = await addContact(single, { agentId: agent, addresses: [address] });
      const { body } = await client.open({ contact: { id: contact }, line, message: "Hello" });
      return body.data.openConversation.conversation.id as string;
    };
    const waits = async (id: string) => {
      await waitUntil(
        async () => (await database.read((reader) => reader.findOneBy(Lane, { id })))?.channelId != null,
      );
    };
    const order: string[] = [];
    receiver.reaction = inTurn(answering(500), (response) => {
      order.push("failing");
      response.end();
    });
    const failed = await say(failing.name);
    await waitUntil(
      async () =>
        await database.read((reader) =>
          reader.existsBy(Message, { conversationId: failed, attempts: 1, status: MessageStatus.queued }),
        ),
    );
    const held: Parameters<Reaction>[0][] = [];
    healthy.reaction = (response) => {
      order.push("healthy");
      held.push(response);
      if (held.length > 1) response.end();
    };
    await say(other.name);
    await arrived(1, healthy);
    // The first message waits for the line that failed.
    await waits(await say(failing.name));
    await waits(await say(other.name));
    held[0]?.end();
    await arrived(2, receiver);
    expect(order).toEqual(["healthy", "healthy", "failing"]);
  });

  test("a new message does not cost a conversation its place among the waiting ones", async () => {
    const { database, lanes } = gateway.services;
    const lane = { id: uuid(), agentId, kind: CONVERSATION_LANE };
    const wakeAt = timestamp(-60_000);
    // Not committed, so that no delivery handles it.
    await expect(
      database.write(async (tx) => {
        await lanes.add(tx, [lane]);
        await lanes.sleep(tx, [{ laneId: lane.id, until: wakeAt }]);
        await lanes.add(tx, [lane]);
        expect(await tx.findOneBy(Lane, { id: lane.id })).toMatchObject({ wakeAt });
        await lanes.sleep(tx, [{ laneId: lane.id, until: timestamp(60_000) }]);
        await lanes.add(tx, [lane]);
        const woken = await tx.findOneByOrFail(Lane, { id: lane.id });
        expect(woken.wakeAt <= timestamp()).toBe(true);
        throw new Error("undone");
      }),
    ).rejects.toThrow("undone");
  });

  slowTest("the rate of a line is exact across two processes", async () => {
    const ratePerMinute = 1_200;
    await keep(startGateway(engine, { ...SENDS, database: { url: gateway.databaseUrl } }));
    const { id: lineId, name } = await addWebhookLine(gateway, {
      agentId,
      url: receiver.url(),
      ratePerMinute,
    });
    await lineClient(gateway).pause(lineId);
    const opened: string[] = [];
    for (let i = 0; i < 50; i++) {
      const address = { kind: AddressKind.phone, address: `+4917012345${String(i).padStart(2, "0")}` };
      const contact = await addContact(gateway, { agentId, addresses: [address] });
      const { body } = await api.open({ contact: { id: contact }, line: name, message: `number ${i}` });
      opened.push(body.data.openConversation.message.id);
    }
    await lineClient(gateway).resume(lineId);
    const isSent = { status: MessageStatus.sent, lineId };
    await waitUntil(async () => (await gateway.rows.countBy(Message, isSent)) >= opened.length);
    const attempts = await gateway.rows.find(DeliveryAttempt, {
      where: { lineId },
      order: { startedAt: "ASC" },
    });
    const times = attempts.map(({ startedAt }) => Date.parse(startedAt));
    expect(times).toHaveLength(opened.length);
    // In any period, no more messages than the per-minute rate allows.
    for (const [i, from] of times.entries())
      for (const [j, until] of times.entries())
        if (j > i) expect(j - i).toBeLessThanOrEqual(((until - from + 1_001) * ratePerMinute) / 61_000 + 0.5);
    expect(times.at(-1) as number).toBeGreaterThan((times[0] as number) + 1_000);
  });

  test("a line is paused after its receiver has rejected twenty messages in a row", async () => {
    // Holds back the next response until the line is paused; on a slow database, all messages would otherwise be sent
    // first.
    const held: ServerResponse[] = [];
    const rejections = Array.from({ length: 20 }, () => answering(404));
    receiver.reaction = inTurn(answering(400), answering(200), ...rejections, (response) =>
      held.push(response),
    );
    const { lineId, ids } = await conversing({
      messages: Array.from({ length: 25 }, (_, i) => `number ${i}`),
    });
    const line = () =>
      gateway.rows.query("select state, paused_reason as reason from line where id = $1", [lineId]);
    await waitUntil(async () => (await line())[0].state === LineState.paused);
    expect(await line()).toEqual([{ state: "paused", reason: "http_404" }]);
    receiver.reaction = answering(404);
    for (const response of held) response.writeHead(404).end();
    expect(await become(ids[24] as string, { heldReason: "line_paused" as never })).toMatchObject({
      attempts: 0,
    });
    // One was accepted and twenty-one rejected; another one may have been sent before the pause.
    expect([22, 23]).toContain(receiver.received.length);
    const entries = await gateway.rows.findBy(AuditEntry, { targetId: lineId, actorKind: "system" as never });
    expect(entries).toMatchObject([{ action: "line_paused", actorName: "gateway" }]);
    receiver.reaction = answering(200);
    await lineClient(gateway).resume(lineId);
    await become(ids[24] as string, { status: MessageStatus.sent });
  });

  slowTest(
    "a mail server that rejects the line fails no message; the line says why, and is paused after 20 rejections",
    async () => {
      let isDenied = true;
      const server = await keep(
        MailServer.start({
          onRcptTo: ({ address }, _, callback) =>
            callback(isDenied ? rejection(554, `5.7.1 <${address}>: Relay access denied`) : null),
        }),
      );
      const { id: lineId, name } = await addMailLine(server);
      const fault = async () => {
        const { body } = await gateway.rest("GET", "/agent/lines");
        return body.find(({ id }: Line) => id === lineId).fault;
      };
      const ids: string[] = [];
      const open = async () => {
        const addresses = [{ kind: AddressKind.email, address: `${uuid()}@example.com` }];
        const contact = { id: await addContact(gateway, { agentId, addresses }) };
        const { body } = await api.open({ contact, line: name, message: "Hello" });
        ids.push(body.data.openConversation.message.id);
      };
      await open();
      const { errorText } = await become(ids[0] as string, { heldReason: "retry" as never });
      expect(errorText).toContain("Relay access denied");
      // The line does not record whose message it was.
      const denied = {
        code: "smtp_554",
        detail: "The server does not accept e-mail from the line: 554 5.7.1 <[address]>: Relay access denied",
        since: expect.any(String),
      };
      expect(await fault()).toEqual(denied);
      for (let i = 1; i < 20; i++) await open();
      await waitUntil(
        async () => (await gateway.rows.findOneByOrFail(Line, { id: lineId })).state === LineState.paused,
      );
      expect(await gateway.rows.findOneByOrFail(Line, { id: lineId })).toMatchObject({
        pausedReason: "smtp_554",
      });
      expect(await fault()).toEqual(denied);
      isDenied = false;
      await write("update message set not_before = null where line_id = $1", [lineId]);
      await lineClient(gateway).resume(lineId);
      await waitUntil(() => server.received.length === ids.length);
      for (const id of ids) await become(id, { status: MessageStatus.sent });
      expect(await fault()).toBeUndefined();
    },
  );

  test("nothing is sent while the organization is deactivated, and everything is sent in order afterwards", async () => {
    const { organizations, lines } = gateway.services;
    const context = await operator(gateway);
    const { id, lineId } = await conversing({ messages: [] });
    await lineClient(gateway).pause(lineId);
    const first = await send(id, "one");
    await send(id, "two");
    await organizations.deactivate(context);
    try {
      await lines.resume(context, lineId);
      await become(first, { heldReason: "organization_deactivated" as never });
      expect(receiver.received).toHaveLength(0);
    } finally {
      await organizations.reactivate(context);
    }
    await arrived(2);
    expect(receiver.received.map(({ body }) => JSON.parse(body).text)).toEqual(["one", "two"]);
  });

  test("a message without a contact is sent without an address if the default line is a webhook line", async () => {
    const { id: lineId } = await addWebhookLine(gateway, { agentId, url: receiver.url() });
    const [main] = (await lineClient(gateway).list(agentId)).body.data.lines.filter(
      (line: { isDefault: boolean }) => line.isDefault,
    );
    await lineClient(gateway).setDefault(lineId);
    try {
      const { body } = await gateway.rest("POST", "/messages", { body: { message: "To nobody" } });
      await become(body.id, { status: MessageStatus.sent });
      expect(JSON.parse(receiver.onlyRequest().body)).toMatchObject({ to: null, conversationId: null });
    } finally {
      await lineClient(gateway).setDefault(main.id);
    }
  });

  test("a receiver's ID that another message has is not stored again", async () => {
    receiver.reaction = answering(200, '{"providerId":"always the same"}');
    const { ids } = await conversing({ messages: ["one", "two"] });
    await become(ids[1] as string, { status: MessageStatus.sent });
    expect(await messageOf(ids[0] as string)).toMatchObject({ providerId: "always the same" });
    expect(await messageOf(ids[1] as string)).toMatchObject({ providerId: null });
  });

  test("receipts move a message only forward, in any order", async () => {
    const { first, lineId } = await conversing();
    await become(first, { status: MessageStatus.sent });
    const apply = (status: "sent" | "delivered" | "read" | "failed") =>
      gateway.services.receipts.apply({ lineId, message: { id: first }, status: status as never });
    for (const [receipt, status] of [
      ["delivered", "delivered"],
      ["sent", "delivered"],
      ["read", "read"],
      ["delivered", "read"],
      ["failed", "read"],
    ] as const)
      expect(await apply(receipt)).toMatchObject({ status });
    const another = await conversing();
    await become(another.first, { status: MessageStatus.sent });
    const failing = { lineId: another.lineId, message: { id: another.first } };
    const { receipts } = gateway.services;
    expect(
      await receipts.apply({ ...failing, status: MessageStatus.failed, errorText: "no such number" }),
    ).toMatchObject({ status: "failed", errorCode: "rejected", errorText: "no such number" });
    expect(await receipts.apply({ ...failing, status: MessageStatus.sent })).toMatchObject({
      status: "failed",
    });
    expect(
      await receipts.apply({ lineId, message: { id: another.first }, status: MessageStatus.read }),
    ).toBeUndefined();
  });

  test("a receipt that comes before the response is not lost, and the response only adds to it", async () => {
    const held = receiver.hold();
    const { first, lineId, id } = await conversing();
    await arrived(1);
    const { receipts } = gateway.services;
    await receipts.apply({ lineId, message: { id: first }, status: MessageStatus.delivered });
    held[0]?.end('{"providerId":"late"}');
    await waitUntil(async () => (await gateway.rows.countBy(Lane, { id })) === 0);
    expect(await messageOf(first)).toMatchObject({ status: "delivered", providerId: "late" });
  });

  slowTest("a process that stops releases its conversations, and the next one continues", async () => {
    const testDatabase = await keep(engine.createMigratedDatabase());
    const stopping = await startGateway(engine, { ...SENDS, database: testDatabase });
    const line = await addWebhookLine(stopping, {
      agentId: await firstAgentId(stopping),
      url: receiver.url(),
    });
    await lineClient(stopping).setDefault(line.id);
    receiver.reaction = () => undefined;
    const { body } = await stopping.rest("POST", "/messages", { body: { message: "Hello" } });
    await arrived(1);
    await stopping.close();
    const { rows } = await keep(startGateway(engine, { database: testDatabase }));
    const lane = await rows.findOneByOrFail(Lane, { id: body.id });
    expect(lane).toMatchObject({ lease: null, leaseUntil: null });
    expect(await rows.findOneByOrFail(Message, { id: body.id })).toMatchObject({
      status: "queued",
      heldReason: "retry",
      attempts: 1,
    });
  });
});
