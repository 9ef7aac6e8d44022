import { Permission } from "../../src/auth/permissions";
import { timestamp } from "../../src/common/time";
import { Lane } from "../../src/delivery/lane.entity";
import { ContactAddress } from "../../src/features/contacts/contact-address.entity";
import { MAX_QUEUED } from "../../src/features/conversations/conversation.limits";
import { DeliveryAttempt } from "../../src/features/messages/delivery-attempt.entity";
import { Message } from "../../src/features/messages/message.entity";
import { HeldReason, MessageStatus } from "../../src/features/messages/message.enums";
import { closedAfterEach } from "../support/closing";
import { addContact, contactClient } from "../support/contacts";
import { addConversation, conversationClient } from "../support/conversations";
import { mint, startGateway } from "../support/gateway";
import { addLine, lineClient } from "../support/lines";
import { addAgent, addMember, codeOf, firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";
import { cases } from "../support/tiers";
import { waitUntil } from "../support/wait-until";

/** Number of rounds of random changes; `ROUNDS=1000 npm test -- conversations` runs more. */
const ROUNDS = Number(process.env.ROUNDS ?? cases(50));

const local = (address: string) => ({ kind: "local", address });

describeGateway({ engine: "any" }, (gateway) => {
  const api = conversationClient(gateway);
  let agentId: string;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
  });

  const newContact = async (address = `at ${Math.random()}`) => {
    const { body } = await contactClient(gateway).put({ addresses: [local(address)] });
    return { id: body.data.putContact.contact.id as string, address };
  };
  /** Adds a paused line, where messages wait. */
  const pausedLine = async () => {
    const line = await addLine(gateway, { agentId });
    await lineClient(gateway).pause(line.id);
    return line.name;
  };
  /**
   * Opens a conversation and queues messages.
   * @returns the IDs of the conversation and its messages
   */
  const queued = async (count: number) => {
    const line = await pausedLine();
    const { id } = await addConversation(gateway, { agentId, line });
    const messages = [];
    for (let i = 1; i <= count; i++)
      messages.push((await api.send(id, `number ${i}`)).body.data.sendToConversation.id);
    return { id, line, messages };
  };

  test("a queued message names the unsent message right in front of it, until that message is canceled", async () => {
    const { id, messages } = await queued(3);
    const [first, second, third] = messages;
    const waiting = async () => {
      const { body } = await gateway.graphql(
        `query ($id: ID!) { conversation(id: $id) { messages(first: 10) { nodes { id waitsFor } } } }`,
        { id },
      );
      const nodes: { id: string; waitsFor: string | null }[] = body.data.conversation.messages.nodes;
      return messages.map((message) => nodes.find((node) => node.id === message)?.waitsFor);
    };
    expect(await waiting()).toEqual([null, first, second]);
    const reasons = async () => {
      const found = (await gateway.rest("GET", `/agent/conversations/${id}/messages`)).body;
      return found.map(({ heldReason, waitsFor }: Record<string, string>) => [heldReason, waitsFor]);
    };
    expect(await reasons()).toEqual([
      [undefined, undefined],
      ["behind", first],
      ["behind", second],
    ]);
    await gateway.rows.update(Message, { id: third }, { heldReason: HeldReason.line_paused });
    expect((await reasons())[2]).toEqual(["line_paused", second]);
    await gateway.rows.update(Message, { id: third }, { heldReason: null });
    await gateway.rest("POST", `/messages/${second}/cancel`);
    expect(await waiting()).toEqual([null, null, first]);
    await gateway.rest("POST", `/messages/${first}/cancel`);
    expect(await waiting()).toEqual([null, null, null]);
    expect((await reasons())[2]).toEqual([undefined, undefined]);
    expect((await gateway.rest("GET", `/messages/${third}`)).body.status).toBe("queued");
  });

  describe("opening", () => {
    test("a conversation opens on the default line, and with a message that is its first", async () => {
      const { id: contactId, address } = await newContact();
      const { body } = await api.open({ contact: { id: contactId }, message: "Hello" });
      expect(body.data.openConversation).toEqual({
        created: true,
        conversation: {
          id: expect.any(String),
          contactId,
          line: "main",
          address,
          state: "open",
          handler: "agent",
          version: 1,
          lastSequence: 1,
          createdAt: expect.any(String),
          updatedAt: expect.any(String),
        },
        message: { id: expect.any(String), status: "queued", sequence: 1 },
      });
    });

    test("REST responds with 201 and the location, then with 200 and the open conversation", async () => {
      const { id, address } = await newContact();
      const body = { contact: { address: local(address) } };
      const first = await gateway.rest("POST", "/agent/conversations", { body });
      expect([first.status, first.body.created, first.body.conversation.contactId]).toEqual([201, true, id]);
      expect(first.headers.get("location")).toBe(`/agent/conversations/${first.body.conversation.id}`);
      const second = await gateway.rest("POST", "/agent/conversations", { body });
      expect([second.status, second.body.created]).toEqual([200, false]);
      expect(second.body.conversation).toEqual(first.body.conversation);
      const found = await gateway.rest("GET", first.headers.get("location") ?? "");
      expect(found.body).toEqual(first.body.conversation);
    });

    test("a contact is identified by its ID, its ref or an address, and a line by its name or ID", async () => {
      const line = await addLine(gateway, { agentId });
      const ref = `ref ${Math.random()}`;
      const address = `Anna ${Math.random()}`;
      const id = await addContact(gateway, { agentId, ref, addresses: [local(address)] as never });
      const conversations = [];
      for (const contact of [{ id }, { ref }, { address: local(` ${address}`) }]) {
        for (const reference of [{ name: line.name }, { id: line.id }]) {
          const { body } = await api.open({ contact, line: reference });
          conversations.push(body.data.openConversation.conversation);
        }
      }
      expect(new Set(conversations.map((each) => each.id)).size).toBe(1);
      expect(conversations[0]).toMatchObject({ line: line.name, address, contactId: id });
      const { body } = await gateway.graphql(
        `{ conversations(line: { id: "${line.id}" }) { nodes { id } } }`,
      );
      expect(body.data.conversations.nodes).toEqual([{ id: conversations[0].id }]);
    });

    test("a conversation uses the named address, or else the first one that was added", async () => {
      const [first, second] = [`first ${Math.random()}`, `second ${Math.random()}`];
      const { id } = await newContact(first);
      await contactClient(gateway).put({ addresses: [local(first), local(second)] });
      const byId = (await api.open({ contact: { id } })).body.data.openConversation;
      const byAddress = (await api.open({ contact: { address: local(second) } })).body.data.openConversation;
      expect([byId.conversation.address, byAddress.conversation.address]).toEqual([first, second]);
      expect(byAddress.created).toBe(true);
    });

    test("20 requests that arrive together open one conversation, and lose no message", async () => {
      const { id } = await newContact();
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, i) => api.open({ contact: { id }, message: `from ${i}` })),
      );
      const opened = replies.map(({ body }) => body.data.openConversation);
      expect(opened.filter(({ created }) => created)).toHaveLength(1);
      const [conversation] = [...new Set(opened.map((each) => each.conversation.id))];
      const { nodes } = (await api.messages(conversation, { first: 50 })).body.data.conversationMessages;
      expect(nodes.map((node: { sequence: number }) => node.sequence)).toEqual(
        Array.from({ length: 20 }, (_, i) => i + 1),
      );
      expect(new Set(nodes.map((node: { message: string }) => node.message)).size).toBe(20);
    });

    test("a repeat with its idempotency key queues nothing, and another request with that key is rejected", async () => {
      const { id } = await newContact();
      const input = { contact: { id }, message: "Once", idempotencyKey: `open ${id}` };
      const [first, second] = [await api.open(input), await api.open(input)].map(
        ({ body }) => body.data.openConversation,
      );
      expect(second).toEqual(first);
      expect(second.created).toBe(true);
      const more = { contact: { id }, message: "More", idempotencyKey: `more ${id}` };
      const [third, fourth] = [await api.open(more), await api.open(more)];
      expect(fourth.body.data.openConversation).toEqual(third.body.data.openConversation);
      expect(fourth.body.data.openConversation.created).toBe(false);
      const none = { contact: { id }, idempotencyKey: `none ${id}` };
      const [fifth, sixth] = [await api.open(none), await api.open(none)];
      expect(sixth.body.data.openConversation).toEqual(fifth.body.data.openConversation);
      expect(fifth.body.data.openConversation).toMatchObject({ created: false, message: null });
      expect(codeOf(await api.open({ ...input, message: "Twice" }))).toBe("idempotency_key_reused");
      const { nodes } = (await api.messages(first.conversation.id)).body.data.conversationMessages;
      expect(nodes).toHaveLength(2);
    });

    test("a first message needs the scope to send", async () => {
      const { id } = await newContact();
      const { secret: token } = await mint(gateway, { scopes: ["conversations:write"] });
      const rejected = await api.open({ contact: { id }, message: "Hello" }, { token });
      expect([codeOf(rejected), rejected.text]).toEqual([
        "insufficient_scope",
        expect.stringContaining("messages:write"),
      ]);
      expect((await api.open({ contact: { id } }, { token })).body.data.openConversation.created).toBe(true);
    });

    test.each([
      ["not_found", "a line that does not exist", { line: "unknown" }],
      ["not_found", "a line with a name that no database can store", { line: "a\0b" }],
      ["not_found", "a line with an invalid ID", { line: { id: "main" } }],
      ["invalid_request", "a line by its ID and its name", { line: { id: "x", name: "main" } }],
      ["not_found", "a contact that does not exist", { contact: { ref: "nobody" } }],
      ["not_found", "a contact with an invalid ID", { contact: { id: "x" } }],
      ["invalid_request", "no contact", { contact: {} }],
      ["invalid_request", "two contacts", { contact: { id: "x", ref: "y" } }],
      ["invalid_request", "an invalid address", { contact: { address: { kind: "email", address: "x" } } }],
      ["invalid_request", "an empty message", { message: " " }],
      ["invalid_request", "an agent, with a key", { agentId: "x" }],
    ])("%s: %s", async (code, _, input) => {
      const { id } = await newContact();
      expect(codeOf(await api.open({ contact: { id }, ...input }))).toBe(code);
    });

    test("a contact without an address of the line's kind, an archived line and an erased contact are rejected", async () => {
      const noAddress = await addContact(gateway, { agentId });
      const reply = await api.open({ contact: { id: noAddress } });
      expect(codeOf(reply)).toBe("not_deliverable");
      expect(reply.text).toContain('\\"local\\"');
      const line = await addLine(gateway, { agentId });
      await lineClient(gateway).archive(line.id);
      const { id } = await newContact();
      expect(codeOf(await api.open({ contact: { id }, line: line.name }))).toBe("not_deliverable");
      await contactClient(gateway).erase(id);
      expect(codeOf(await api.open({ contact: { id } }))).toBe("conflict");
    });
  });

  describe("sending", () => {
    test("messages are numbered and listed in order of acceptance, page by page", async () => {
      const { id, messages } = await queued(5);
      const first = (await api.messages(id, { first: 3 })).body.data.conversationMessages;
      const { endCursor: after, hasNextPage } = first.pageInfo;
      expect(hasNextPage).toBe(true);
      const second = (await api.messages(id, { first: 3, after })).body.data.conversationMessages;
      const nodes = [...first.nodes, ...second.nodes];
      expect(nodes.map((node) => [node.id, node.sequence])).toEqual(messages.map((each, i) => [each, i + 1]));
      expect(nodes[0]).toMatchObject({ author: "api", direction: "outbound", status: "queued" });
    });

    test("a repeat with its idempotency key returns the same message", async () => {
      const { id } = await addConversation(gateway, { agentId });
      const send = () => api.send(id, "Once", { idempotencyKey: `send ${id}` });
      const replies = await Promise.all(Array.from({ length: 10 }, send));
      const ids = replies.map(({ body }) => body.data.sendToConversation.id);
      expect(new Set(ids).size).toBe(1);
      const path = `/agent/conversations/${id}/messages`;
      const options = { body: { message: "Once" }, headers: { "idempotency-key": `send ${id}` } };
      const rest = await gateway.rest("POST", path, options);
      expect([rest.status, rest.body.id]).toEqual([201, ids[0]]);
      expect(rest.headers.get("location")).toBe(`/messages/${ids[0]}`);
      expect(codeOf(await api.send(id, "Twice", { idempotencyKey: `send ${id}` }))).toBe(
        "idempotency_key_reused",
      );
    });

    test("a repeat with its idempotency key and another API key of the agent returns the same message", async () => {
      const { id } = await addConversation(gateway, { agentId });
      const { secret: token } = await mint(gateway);
      const send = (more: object) => api.send(id, "Once", { idempotencyKey: `keys ${id}`, ...more });
      expect((await send({ token })).body).toEqual((await send({})).body);
      const { id: contact } = await newContact();
      const open = (more: object) =>
        api.open({ contact: { id: contact }, message: "Hi", idempotencyKey: `keys ${contact}` }, more);
      expect((await open({ token })).body).toEqual((await open({})).body);
    });

    test("a cursor of another list is rejected", async () => {
      const [one, other] = [await queued(2), await queued(2)];
      const { endCursor } = (await api.messages(other.id, { first: 1 })).body.data.conversationMessages
        .pageInfo;
      expect(codeOf(await api.messages(one.id, { after: endCursor }))).toBe("invalid_cursor");
    });

    test("an ID that no database can store is not found, and lists nothing", async () => {
      for (const id of ["\0", "x", "\ud800"]) {
        expect(codeOf(await api.send(id, "Lost"))).toBe("not_found");
        expect((await api.list({ contactId: id })).body.data.conversations.nodes).toEqual([]);
      }
    });

    test("a closed conversation takes no messages, an unknown one is not found, and blank text is rejected", async () => {
      const { id } = await addConversation(gateway, { agentId });
      expect(codeOf(await api.send(id, " "))).toBe("invalid_request");
      await api.close(id);
      expect(codeOf(await api.send(id, "Late"))).toBe("conflict");
      expect(codeOf(await api.send(id, "Late", { idempotencyKey: "late" }))).toBe("conflict");
      expect(codeOf(await api.send("01a1fcd2-0000-7000-8000-00000000ffff", "Lost"))).toBe("not_found");
      expect(codeOf(await api.send("x", "Lost"))).toBe("not_found");
    });

    test(`the ${MAX_QUEUED + 1}st queued message is rejected, even among messages that arrive together`, async () => {
      const { id } = await queued(0);
      const replies = await Promise.all(
        Array.from({ length: MAX_QUEUED + 10 }, (_, i) => api.send(id, `number ${i}`)),
      );
      const rejected = replies.filter((reply) => codeOf(reply) === "queue_full");
      expect(rejected).toHaveLength(10);
      expect([rejected[0]?.status, rejected[0]?.headers.get("retry-after")]).toEqual([429, "5"]);
      const more = await gateway.rest("POST", `/agent/conversations/${id}/messages`, {
        body: { message: "one more" },
      });
      expect([more.status, more.body.code]).toEqual([429, "queue_full"]);
    });

    test("members with the permission can also send, are named as authors, and read the messages", async () => {
      const { id } = await addConversation(gateway, { agentId });
      const writer = await addMember(gateway, { permissions: [Permission.conversations_write] });
      const sent = await api.send(id, "From a member", { token: writer.token });
      expect(sent.body.data.sendToConversation).toMatchObject({ author: "member", conversationId: id });
      const reader = await addMember(gateway, { permissions: [Permission.conversations_read] });
      const { nodes } = (await api.messages(id, {}, { token: reader.token })).body.data.conversationMessages;
      expect(nodes).toMatchObject([{ message: "From a member" }]);
      const listed = await api.list({ agentId, first: 100 }, { token: reader.token });
      expect(listed.body.data.conversations.nodes).toContainEqual(expect.objectContaining({ id }));
    });
  });

  describe("moving", () => {
    test("queued messages are canceled, and later messages belong to the new line", async () => {
      const { id, messages } = await queued(2);
      const line = await addLine(gateway, { agentId });
      const moved = await api.move(id, { line: { id: line.id } });
      const { conversation, ...rest } = moved.body.data.moveConversation;
      expect(conversation).toMatchObject({ line: line.name, version: 2 });
      expect(rest).toEqual({ canceled: messages, carried: [], inFlight: null });
      const { nodes } = (await api.messages(id)).body.data.conversationMessages;
      for (const node of nodes) expect(node).toMatchObject({ status: "canceled", errorCode: "moved" });
    });

    test("queued messages stay queued with pending: carry", async () => {
      const { id, messages } = await queued(2);
      const line = (await addLine(gateway, { agentId })).name;
      const reply = await gateway.rest("POST", `/agent/conversations/${id}/move`, {
        body: { line, pending: "carry", expectedVersion: 1 },
      });
      expect([reply.status, reply.body]).toEqual([
        200,
        { conversation: expect.objectContaining({ line, version: 2 }), canceled: [], carried: messages },
      ]);
    });

    test("a move to its own line changes nothing", async () => {
      const { id, line, messages } = await queued(1);
      const { conversation, ...queues } = (await api.move(id, { line })).body.data.moveConversation;
      expect([conversation.version, queues]).toEqual([
        1,
        { canceled: [], carried: messages, inFlight: null },
      ]);
      expect((await api.messages(id)).body.data.conversationMessages.nodes).toMatchObject([
        { id: messages[0], status: "queued" },
      ]);
    });

    test("an impossible move is rejected with the reason", async () => {
      const { id, contactId } = await addConversation(gateway, { agentId });
      const [archived, paused, taken] = [
        await addLine(gateway, { agentId }),
        await pausedLine(),
        await addLine(gateway, { agentId }),
      ];
      await lineClient(gateway).archive(archived.id);
      const other = (await api.open({ contact: { id: contactId }, line: taken.name })).body.data
        .openConversation.conversation.id;
      for (const [line, code, text] of [
        ["unknown", "not_found", "line does not exist"],
        [archived.name, "not_deliverable", "archived"],
        [paused, "not_deliverable", "paused"],
        [taken.name, "conflict", other],
      ]) {
        const reply = await api.move(id, { line });
        expect([codeOf(reply), reply.text]).toEqual([code, expect.stringContaining(text as string)]);
        const { conversationId } = reply.body.errors[0].extensions;
        expect(conversationId).toBe(code === "conflict" ? other : undefined);
      }
      await gateway.rows.delete(ContactAddress, { contactId });
      const free = await addLine(gateway, { agentId });
      expect(codeOf(await api.move(id, { line: free.name }))).toBe("not_deliverable");
      await api.close(id);
      const closed = await api.move(id, { line: free.name });
      expect([codeOf(closed), closed.text]).toEqual(["conflict", expect.stringContaining("closed")]);
    });

    test("of two moves to a line and a conversation opened there at the same time, exactly one succeeds", async () => {
      const address = `at ${Math.random()}`;
      const { id: contactId } = await newContact(address);
      const lines = await Promise.all(
        [1, 2, 3].map(() =>
          addLine(gateway, { agentId, name: `race-${Math.random().toString(36).slice(2)}` }),
        ),
      );
      const open = async (line = "") =>
        (await api.open({ contact: { id: contactId }, line })).body.data.openConversation.conversation.id;
      const [first, second] = [await open(lines[0]?.name), await open(lines[1]?.name)];
      const target = lines[2]?.name ?? "";
      const [one, two, opening] = await Promise.all([
        api.move(first, { line: target }),
        api.move(second, { line: target }),
        api.open({ contact: { id: contactId }, line: target }),
      ]);
      const moved = [one, two].filter((reply) => codeOf(reply) === undefined).length;
      const { created } = opening.body.data.openConversation;
      expect(moved + Number(created)).toBe(1);
    });

    test("is recorded in the audit log with both lines", async () => {
      const { id } = await addConversation(gateway, { agentId });
      const line = await addLine(gateway, { agentId });
      await api.move(id, { line: line.name });
      await api.handOff(id);
      const { nodes } = (
        await gateway.graphql(
          "query ($id: ID) { auditLog(targetId: $id) { nodes { action changes { field before after } } } }",
          { id },
          { token: gateway.owner },
        )
      ).body.data.auditLog;
      expect(nodes).toEqual([
        {
          action: "conversation_handed_off",
          changes: [{ field: "handler", before: "agent", after: "human" }],
        },
        { action: "conversation_moved", changes: [{ field: "line", before: "main", after: line.name }] },
      ]);
    });
  });

  describe("handing off, releasing and closing", () => {
    test("a handoff cancels the agent's queued messages, and keeps the others queued", async () => {
      const { id, messages } = await queued(2);
      await gateway.rows.update(Message, { id: messages[0] }, { author: "agent" as never });
      const off = (await api.handOff(id)).body.data.handOffConversation;
      expect(off).toMatchObject({
        conversation: { handler: "human", version: 2 },
        canceled: [messages[0]],
        carried: [messages[1]],
      });
      const back = (await api.release(id)).body.data.releaseConversation;
      expect(back).toMatchObject({ conversation: { handler: "agent", version: 3 }, carried: [messages[1]] });
      const { nodes } = (await api.messages(id)).body.data.conversationMessages;
      expect(nodes).toMatchObject([{ status: "canceled", errorCode: "handed_off" }, { status: "queued" }]);
    });

    test("a repeat of any of them changes nothing", async () => {
      const { id } = await addConversation(gateway, { agentId });
      for (const [change, version] of [
        ["release", 1],
        ["handOff", 2],
        ["release", 3],
        ["close", 4],
      ] as const) {
        for (const _ of [1, 2]) {
          const data = (await api[change](id)).body.data[`${change}Conversation`];
          expect([change, data.conversation.version]).toEqual([change, version]);
        }
      }
      for (const change of ["handOff", "release"] as const)
        expect(codeOf(await api[change](id))).toBe("conflict");
    });

    test("closing cancels queued messages, and the next conversation is a new one", async () => {
      const { id, line, messages } = await queued(2);
      const { conversation, canceled } = (await api.close(id)).body.data.closeConversation;
      expect([conversation.state, canceled]).toEqual(["closed", messages]);
      const next = await api.open({ contact: { id: conversation.contactId }, line });
      expect(next.body.data.openConversation).toMatchObject({ created: true });
      expect(next.body.data.openConversation.conversation.id).not.toBe(id);
      const closed = await api.list({ state: "closed", contactId: conversation.contactId });
      expect(closed.body.data.conversations.nodes).toMatchObject([{ id }]);
    });

    test("a change that is based on another version is rejected with the current one", async () => {
      const { id, line } = await queued(0);
      const other = await addLine(gateway, { agentId });
      await api.handOff(id);
      for (const change of [
        () => api.move(id, { line: other.name, expectedVersion: 1 }),
        () => api.move(id, { line, expectedVersion: 3 }),
        () => api.handOff(id, { expectedVersion: 1 }),
        () => api.release(id, { expectedVersion: 1 }),
        () => api.close(id, { expectedVersion: 1 }),
      ]) {
        const reply = await change();
        expect([codeOf(reply), reply.text]).toEqual([
          "version_conflict",
          expect.stringContaining("version 2"),
        ]);
      }
      expect(codeOf(await api.release(id, { expectedVersion: 2 }))).toBeUndefined();
    });

    test("one of 10 changes based on the same version succeeds", async () => {
      const { id } = await addConversation(gateway, { agentId });
      const replies = await Promise.all(
        Array.from({ length: 10 }, () => api.handOff(id, { expectedVersion: 1 })),
      );
      expect(replies.filter((reply) => codeOf(reply) === undefined)).toHaveLength(1);
      for (const reply of replies) expect([undefined, "version_conflict"]).toContain(codeOf(reply));
    });
  });

  test("lists are in order of opening, with filters for state, handler and contact", async () => {
    const own = await addAgent(gateway);
    const lister = conversationClient(gateway, own.token);
    const opened = [];
    for (let i = 0; i < 5; i++) opened.push(await addConversation(gateway, { agentId: own.id }));
    const ids = opened.map(({ id }) => id);
    await lister.close(ids[0] as string);
    await lister.handOff(ids[1] as string);
    const list = async (args: object) =>
      (await lister.list(args)).body.data.conversations.nodes.map((node: { id: string }) => node.id);
    expect(await list({})).toEqual(ids);
    expect(await list({ state: "closed" })).toEqual([ids[0]]);
    expect(await list({ handler: "human" })).toEqual([ids[1]]);
    expect(await list({ contactId: opened[2]?.contactId })).toEqual([ids[2]]);
    expect(await list({ contactId: "x" })).toEqual([]);
    const rest = await gateway.rest("GET", "/agent/conversations?limit=2&state=open", own);
    expect(rest.body.map((each: { id: string }) => each.id)).toEqual([ids[1], ids[2]]);
    expect(rest.headers.get("link")).toContain('rel="next"');
  });

  test("an agent cannot reach a conversation of another agent of its organization", async () => {
    const stranger = conversationClient(gateway, (await addAgent(gateway)).token);
    const { id, contactId } = await addConversation(gateway, { agentId });
    expect((await stranger.find(id)).body.data).toEqual({ conversation: null });
    for (const reply of [
      await stranger.messages(id),
      await stranger.send(id, "intruder"),
      await stranger.move(id, { line: "main" }),
      await stranger.handOff(id),
      await stranger.close(id),
      await stranger.open({ contact: { id: contactId } }),
    ])
      expect(codeOf(reply)).toBe("not_found");
  });
});

describeGateway({ engine: "any", env: { DELIVERY_WORKERS: "8" } }, (gateway, engine) => {
  const keep = closedAfterEach();
  const api = conversationClient(gateway);
  let agentId: string;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
  });

  const messagesOf = async (id: string) =>
    (await api.messages(id, { first: 100 })).body.data.conversationMessages.nodes as Record<
      string,
      unknown
    >[];
  /** Waits until every message of a conversation has left the queue. */
  const settled = async (conversationId: string) => {
    const queued = () => gateway.rows.existsBy(Message, { conversationId, status: MessageStatus.queued });
    await waitUntil(async () => !(await queued()));
    return messagesOf(conversationId);
  };
  const attemptsIn = (conversationId: string) =>
    gateway.rows.countBy(DeliveryAttempt, { message: { conversationId } });
  const lanes = () => gateway.rows.count(Lane);

  test("messages are delivered in their order, on the line of the conversation, and the lane ends", async () => {
    const line = await addLine(gateway, { agentId });
    const { id } = await addConversation(gateway, { agentId, line: line.name });
    await Promise.all(Array.from({ length: 30 }, (_, i) => api.send(id, `number ${i}`)));
    const nodes = await settled(id);
    expect(nodes).toHaveLength(30);
    for (const node of nodes) expect(node).toMatchObject({ status: "delivered", lineId: line.id });
    const times = await gateway.rows.find(Message, {
      where: { conversationId: id },
      order: { sequence: "ASC" },
    });
    expect(times.map(({ sentAt }) => sentAt)).toEqual(times.map(({ sentAt }) => sentAt).sort());
    await waitUntil(async () => (await lanes()) === 0);
  });

  test("a held-back message holds back the messages behind it, until it is canceled", async () => {
    const line = await addLine(gateway, { agentId });
    const { id } = await addConversation(gateway, { agentId, line: line.name });
    await lineClient(gateway).pause(line.id);
    const [first, second] = [await api.send(id, "first"), await api.send(id, "second")].map(
      ({ body }) => body.data.sendToConversation.id,
    );
    await waitUntil(
      async () => !(await messagesOf(id)).some(({ heldReason }) => heldReason !== "line_paused"),
    );
    expect(await messagesOf(id)).toMatchObject([
      { status: "queued", heldReason: "line_paused" },
      { status: "queued", heldReason: "line_paused" },
    ]);
    const canceled = await gateway.rest("POST", `/messages/${first}/cancel`);
    expect([canceled.status, canceled.body.status]).toEqual([200, "canceled"]);
    await lineClient(gateway).resume(line.id);
    expect(await settled(id)).toMatchObject([{ status: "canceled" }, { id: second, status: "delivered" }]);
  });

  test("carried messages are sent on the new line, in order and before later messages", async () => {
    const [from, to] = [await addLine(gateway, { agentId }), await addLine(gateway, { agentId })];
    const { id } = await addConversation(gateway, { agentId, line: from.name });
    await lineClient(gateway).pause(from.id);
    await api.send(id, "one");
    await api.send(id, "two");
    await api.move(id, { line: to.name, pending: "carry" });
    await api.send(id, "three");
    const nodes = await settled(id);
    expect(nodes.map(({ message, status, lineId }) => [message, status, lineId])).toEqual(
      ["one", "two", "three"].map((text) => [text, "delivered", to.id]),
    );
  });

  test("a message that has expired, or whose address was deleted or opted out, is not sent, and shows the reason", async () => {
    const { database } = gateway.services;
    for (const [prepare, expected] of [
      [
        (contactId: string) => database.write((tx) => tx.delete(ContactAddress, { contactId })),
        { status: "failed", errorCode: "no_address" },
      ],
      [
        (contactId: string) =>
          database.write((tx) => tx.update(ContactAddress, { contactId }, { optedOutAt: timestamp() })),
        { status: "canceled", errorCode: "opted_out" },
      ],
      [
        (_: string, id: string) =>
          database.write((tx) => tx.update(Message, { conversationId: id }, { expiresAt: timestamp(-1) })),
        { status: "failed", errorCode: "expired" },
      ],
    ] as const) {
      const line = await addLine(gateway, { agentId });
      const { id, contactId } = await addConversation(gateway, { agentId, line: line.name });
      await lineClient(gateway).pause(line.id);
      await api.send(id, "in vain");
      await waitUntil(async () => (await messagesOf(id))[0]?.heldReason === "line_paused");
      await prepare(contactId, id);
      await lineClient(gateway).resume(line.id);
      expect(await settled(id)).toMatchObject([expected]);
      expect(await attemptsIn(id)).toBe(0);
    }
  });

  test("a message expires even behind a held-back one", async () => {
    const line = await addLine(gateway, { agentId });
    const { id } = await addConversation(gateway, { agentId, line: line.name });
    await lineClient(gateway).pause(line.id);
    await api.send(id, "first");
    await api.send(id, "second");
    await waitUntil(async () => (await messagesOf(id))[1]?.heldReason === "line_paused");
    const { database } = gateway.services;
    await database.write(async (tx) => {
      await tx.update(Message, { conversationId: id, sequence: 2 }, { expiresAt: timestamp(-1) });
      await gateway.services.lanes.wake(tx, [id]);
    });
    await waitUntil(async () => (await messagesOf(id))[1]?.status !== "queued");
    expect(await messagesOf(id)).toMatchObject([
      { status: "queued", heldReason: "line_paused" },
      { status: "failed", errorCode: "expired" },
    ]);
  });

  test("a message waits as long as its line allows", async () => {
    const line = await addLine(gateway, { agentId });
    await lineClient(gateway).update({ id: line.id, expireAfterSeconds: 60 });
    const { id } = await addConversation(gateway, { agentId, line: line.name });
    await api.send(id, "Soon");
    const [message] = await gateway.rows.findBy(Message, { conversationId: id });
    expect(Date.parse(message?.expiresAt ?? "") - Date.parse(message?.createdAt ?? "")).toBe(60_000);
  });

  test("two processes that move, hand off and send at random keep the order, and send no fenced-off message", async () => {
    const other = await keep(
      startGateway(engine, { env: { DELIVERY_WORKERS: "8" }, database: { url: gateway.databaseUrl } }),
    );
    const apis = [api, conversationClient(other, gateway.key)] as const;
    const lines = [await addLine(gateway, { agentId }), await addLine(gateway, { agentId })] as const;
    const { id } = await addConversation(gateway, { agentId, line: lines[0].name });
    /** The conversation's line at each version. A message is sent on the line of the version that accepted it. */
    const lineAt = new Map([[1, lines[0].name]]);
    const canceled: string[] = [];
    const any = <Item>(items: readonly Item[]) => items[Math.floor(Math.random() * items.length)] as Item;
    for (let round = 0; round < ROUNDS; round++) {
      const [sender, changer] = [any(apis), any(apis)];
      const sent = Promise.all([sender.send(id, `${round} a`), changer.send(id, `${round} b`)]);
      const kind = any(["moveConversation", "handOffConversation", "releaseConversation"] as const);
      const changed = await {
        moveConversation: () =>
          changer.move(id, { line: any(lines).name, pending: any(["cancel", "carry"]) }),
        handOffConversation: () => changer.handOff(id),
        releaseConversation: () => changer.release(id),
      }[kind]();
      const answer = changed.body.data[kind];
      lineAt.set(answer.conversation.version, answer.conversation.line);
      canceled.push(...answer.canceled);
      for (const reply of await sent) expect(codeOf(reply)).toBeUndefined();
    }
    await settled(id);
    const rows = await gateway.rows.find(Message, {
      where: { conversationId: id },
      order: { sequence: "ASC" },
    });
    expect(rows.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 2 * ROUNDS }, (_, i) => i + 1));
    const sentAt = rows.flatMap((row) => row.sentAt ?? []);
    expect(sentAt).toEqual([...sentAt].sort());
    const unsent = rows.filter(({ status }) => status === "canceled").map((row) => row.id);
    expect(unsent).toEqual([...canceled].sort());
    const nameOf = new Map(lines.map((line) => [line.id, line.name]));
    for (const { status, fence, lineId } of rows) {
      if (status === "delivered")
        expect([fence, nameOf.get(lineId ?? "")]).toEqual([fence, lineAt.get(fence ?? 0)]);
    }
  });
});
