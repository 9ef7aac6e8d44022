import { Contact } from "../../src/features/contacts/contact.entity";
import { Event } from "../../src/features/events/event.entity";
import { contactClient } from "../support/contacts";
import { conversationClient } from "../support/conversations";
import { type DecisionBody, decisionClient, publish } from "../support/decisions";
import { addWebhookLine } from "../support/lines";
import { firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";

const DOCUMENT = {
  situations: { hello: {}, complained: {}, both: {}, ended: {}, shipped: {} },
  templates: { text: "Hello", shipped: "It is on its way" },
  rules: [
    { id: "hello", on: "hello", do: [{ send: "text" }, { send: "text", line: "sms" }] },
    { id: "complained", on: "complained", do: [{ handoff: "complaint", scope: "contact" }] },
    {
      id: "both",
      on: "both",
      do: [{ send: "text", line: "sms" }, { handoff: "one" }, { handoff: "all", scope: "contact" }],
    },
    { id: "ended", on: "ended", do: [{ close: true }] },
    { id: "shipped", on: "shipped", do: [{ send: "shipped", line: "sms" }], whileHuman: true },
  ],
  otherwise: [],
};

describeGateway({ engine: "any" }, (gateway) => {
  let agentId: string;
  let api: ReturnType<typeof decisionClient>;
  const conversations = conversationClient(gateway);
  const contacts = contactClient(gateway);
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    api = decisionClient(gateway);
    await addWebhookLine(gateway, { agentId, name: "sms" });
    await publish(gateway, agentId, DOCUMENT);
  });

  const decide = async (type: string, about: DecisionBody) => (await api.decide({ type, ...about })).body;
  /** Adds a contact that two lines reach. */
  const person = async () => {
    const address = `${Math.random()}`;
    const addresses = [
      { kind: "local", address },
      { kind: "phone", address: `+4915${address.padEnd(11, "1").slice(2, 11)}` },
    ];
    return (await contacts.put({ addresses })).body.data.putContact.contact.id as string;
  };
  const open = async (id: string, line?: string) =>
    (await conversations.open({ contact: { id }, line })).body.data.openConversation.conversation;
  const handlersOf = async (contactId: string, state = "open") => {
    const { body } = await conversations.list({ contactId, state });
    return body.data.conversations.nodes.map(({ handler }: { handler: string }) => handler);
  };
  const handedOffAt = async (id: string) =>
    (await gateway.services.database.read((reader) => reader.findOneByOrFail(Contact, { id }))).handedOffAt;
  const statusesOf = async (id: string) => {
    const { body } = await conversations.messages(id);
    return body.data.conversationMessages.nodes.map(
      ({ status, errorCode }: { status: string; errorCode: string | null }) => errorCode ?? status,
    );
  };
  const effectsOf = ({ explanation }: { explanation: { effects: { kind: string; status: string }[] } }) =>
    explanation.effects.map(({ kind, status }) => [kind, status]);

  test("a handoff of the contact hands off its other conversations, and cancels what the agent wrote there", async () => {
    const id = await person();
    const about = { contact: { id } };
    await decide("hello", about);
    const dry = await decide("complained", { ...about, dryRun: true });
    expect(effectsOf(dry)).toEqual([["handoff", "done"]]);
    expect(await handlersOf(id)).toEqual(["agent", "agent"]);
    const decision = await decide("complained", about);
    expect(decision.outcome).toBe("handoff");
    expect(decision.explanation.effects).toEqual([
      { kind: "handoff", ruleId: "complained", status: "done", reason: "complaint", scope: "contact" },
    ]);
    expect(await handlersOf(id)).toEqual(["human", "human"]);
    const { body } = await conversations.list({ contactId: id });
    for (const each of body.data.conversations.nodes) {
      expect(await statusesOf(each.id)).toEqual(["handed_off"]);
      const events = await gateway.services.database.read((reader) =>
        reader.findBy(Event, { subject: `conversation:${each.id}` }),
      );
      const types = events.map(({ type }) => type).filter((type) => type.startsWith("conversation."));
      expect(types).toEqual(["conversation.opened", "conversation.handed_off"]);
    }
    const { body: replayed } = await gateway.graphql(
      "query ($id: ID!) { replayDecision(id: $id, against: { version: 2 }) { status explanation { effects { status scope } } } }",
      { id: decision.id },
    );
    expect(replayed.data.replayDecision).toEqual({
      status: "same",
      explanation: { effects: [{ status: "done", scope: "contact" }] },
    });
  });

  test("until a release, new conversations are also with a human, and only rules with whileHuman send", async () => {
    const id = await person();
    const about = { contact: { id } };
    const first = await open(id, "sms");
    await decide("complained", { conversationId: first.id });
    const held = await decide("hello", about);
    expect(held.explanation.gates).toEqual([{ name: "handler", passed: false }]);
    expect(effectsOf(held)).toEqual([
      ["send", "skipped"],
      ["send", "skipped"],
    ]);
    expect(await handlersOf(id)).toEqual(["human"]);
    expect(effectsOf(await decide("shipped", about))).toEqual([["send", "done"]]);
    expect(await statusesOf(first.id)).toEqual(["queued"]);
    const second = await open(id);
    expect(second).toMatchObject({ handler: "human", version: 1 });
    await conversations.release(second.id);
    expect([await handlersOf(id), await handedOffAt(id)]).toEqual([["agent", "agent"], null]);
    expect(effectsOf(await decide("hello", about))).toEqual([
      ["send", "done"],
      ["send", "done"],
    ]);
  });

  test("releasing one conversation releases all conversations handed off with it, each with an event", async () => {
    const id = await person();
    const [first, second, earlier] = [await open(id), await open(id, "sms"), await open(await person())];
    await conversations.handOff(earlier.id);
    await conversations.handOff(second.id);
    await decide("complained", { conversationId: first.id });
    const { body } = await conversations.release(first.id, { expectedVersion: 2 });
    expect(body.data.releaseConversation.conversation).toMatchObject({ handler: "agent", version: 3 });
    for (const each of [first, second]) {
      const events = await gateway.services.database.read((reader) =>
        reader.findBy(Event, { subject: `conversation:${each.id}`, type: "conversation.released" }),
      );
      expect(events.map(({ data }) => data)).toMatchObject([{ version: 3, reason: "request" }]);
    }
    expect((await conversations.find(earlier.id)).body.data.conversation.handler).toBe("human");
  });

  test("the handoff of a contact ends with its last open conversation", async () => {
    const id = await person();
    const [first, second] = [await open(id), await open(id, "sms")];
    await decide("complained", { conversationId: first.id });
    await conversations.close(first.id);
    expect((await open(id)).handler).toBe("human");
    expect(await handedOffAt(id)).not.toBeNull();
    for (const each of (await conversations.list({ contactId: id, state: "open" })).body.data.conversations
      .nodes)
      await conversations.close(each.id);
    expect(await handlersOf(id, "closed")).toHaveLength(3);
    expect([await handedOffAt(id), (await open(id)).handler]).toEqual([null, "agent"]);
    expect((await conversations.find(second.id)).body.data.conversation.handler).toBe("human");
  });

  test("conversations that the decision opens are handed off with the rest, and its messages are sent", async () => {
    const id = await person();
    const decision = await decide("both", { contact: { id } });
    expect(effectsOf(decision)).toEqual([
      ["send", "done"],
      ["handoff", "done"],
      ["handoff", "done"],
    ]);
    const { body } = await conversations.list({ contactId: id });
    const [{ id: sms, handler, version }] = body.data.conversations.nodes;
    expect([handler, version, await statusesOf(sms)]).toEqual(["human", 2, ["queued"]]);
  });
});
