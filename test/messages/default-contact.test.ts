import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { MAX_QUEUED } from "../../src/features/conversations/conversation.limits";
import { Message } from "../../src/features/messages/message.entity";
import { addContact, contactClient } from "../support/contacts";
import { conversationClient } from "../support/conversations";
import { publish } from "../support/decisions";
import type { Call } from "../support/gateway";
import { addLine, lineClient } from "../support/lines";
import { addAgent } from "../support/people";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";

describeGateway({ engine: "any" }, (gateway) => {
  let agentId: string;
  let token: string;
  beforeEach(async () => {
    ({ id: agentId, token } = await addAgent(gateway));
  });

  const owner = (kind: AddressKind = AddressKind.local) =>
    addContact(gateway, { agentId, ref: "owner", addresses: [{ kind, address: "+4915112345678" }] });
  const setDefault = (defaultContact: string | null = "owner") =>
    publish(gateway, agentId, { defaultContact });
  const send = async (message = "Hello", idempotencyKey?: string, more: Call = { token }) => {
    const { body } = await gateway.graphql(
      `mutation ($message: String!, $idempotencyKey: String) {
         sendMessage(input: { text: $message, idempotencyKey: $idempotencyKey }) {
           id status author conversationId sequence
         }
       }`,
      { message, idempotencyKey },
      more,
    );
    return body.data?.sendMessage ?? body.errors[0].extensions;
  };

  test("a message without a contact joins the conversation of the default contact", async () => {
    const contactId = await owner();
    await setDefault();
    const { id } = (await gateway.rest("POST", "/messages", { token, body: { message: "one" } })).body;
    const { body: first } = await gateway.rest("GET", `/messages/${id}`, { token });
    expect(first).toMatchObject({ conversationId: expect.any(String), author: "api", sequence: 1 });
    const { body } = await conversationClient(gateway, token).find(first.conversationId);
    expect(body.data.conversation).toMatchObject({ contactId, line: "main", lastSequence: 1 });
    expect(await send("two")).toMatchObject({ conversationId: first.conversationId, sequence: 2 });
    await conversationClient(gateway, token).close(first.conversationId);
    const reopened = await send("three");
    expect(reopened.conversationId).not.toBe(first.conversationId);
    expect(reopened).toMatchObject({ conversationId: expect.any(String), sequence: 1 });
  });

  test("concurrent messages join it in order, and other agents' messages stay outside", async () => {
    await owner();
    await setDefault();
    const [own, others] = await Promise.all([
      Promise.all(Array.from({ length: 20 }, (_, i) => send(`message ${i}`, i % 2 ? `key ${i}` : undefined))),
      Promise.all(Array.from({ length: 20 }, () => send("Hello", undefined, {}))),
    ]);
    expect(new Set(own.map(({ conversationId }) => conversationId)).size).toBe(1);
    const byId = own.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(byId.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    for (const { conversationId } of others) expect(conversationId).toBeNull();
  });

  test("the version that is live when a message is accepted applies, even if it was published in the meantime", async () => {
    await owner();
    const outside = { conversationId: null };
    const joined = { conversationId: expect.any(String) };
    for (const [ref, expected] of [
      [null, outside],
      ["owner", joined],
      [null, outside],
      ["nobody", outside],
      ["owner", joined],
    ] as const) {
      await setDefault(ref);
      expect(await Promise.all([send(), send("Hello", `${Math.random()}`), send()])).toMatchObject([
        expected,
        expected,
        expected,
      ]);
      expect(await send()).toMatchObject(expected);
    }
  });

  test("a repeat with the same idempotency key gets the same message, even after the default has changed", async () => {
    await owner();
    await setDefault();
    const first = await send("once", "key");
    await setDefault(null);
    expect(await send("once", "key")).toEqual(first);
    expect(await send("twice")).toMatchObject({ conversationId: null, sequence: null });
    const count = (reader: { countBy: (of: typeof Message, by: object) => Promise<number> }) =>
      reader.countBy(Message, { agentId });
    expect(await gateway.services.database.read(count)).toBe(2);
  });

  slowTest("a message is rejected if the conversation's queue is full", async () => {
    await owner();
    await setDefault();
    await lineClient(gateway).pause((await gateway.rest("GET", "/agent/lines", { token })).body[0].id);
    const { conversationId } = await send();
    const replies: { code?: string }[] = [];
    // Sent in groups, because a busy server would reject all of them at once.
    while (replies.length < MAX_QUEUED - 20)
      replies.push(...(await Promise.all(Array.from({ length: 40 }, () => send()))));
    replies.push(
      ...(await Promise.all(Array.from({ length: MAX_QUEUED + 9 - replies.length }, () => send()))),
    );
    expect(replies.flatMap(({ code }) => code ?? [])).toEqual(Array(10).fill("queue_full"));
    await conversationClient(gateway, token).close(conversationId);
    expect(await send()).toMatchObject({ status: "queued", sequence: 1 });
  });

  test.each<[string, () => Promise<unknown>]>([
    ["no version names a default contact", owner],
    ["the contact does not exist", () => setDefault("nobody")],
    [
      "the contact was erased",
      async () => {
        const id = await owner();
        await setDefault();
        await contactClient(gateway, token).erase(id);
      },
    ],
    [
      "the default line does not reach the contact",
      async () => {
        await owner(AddressKind.phone);
        await setDefault();
      },
    ],
  ])("a message stays outside of any conversation if %s", async (_, given) => {
    await given();
    expect(await send()).toMatchObject({ status: "queued", conversationId: null });
  });

  test("a message is sent on the line that is the default when it is accepted", async () => {
    await owner();
    await setDefault();
    const { conversationId } = await send();
    const line = await addLine(gateway, { agentId, name: "second" });
    await lineClient(gateway).setDefault(line.id);
    const next = await send();
    expect(next.conversationId).not.toBe(conversationId);
    const { body } = await conversationClient(gateway, token).find(next.conversationId);
    expect(body.data.conversation.line).toBe("second");
  });
});
