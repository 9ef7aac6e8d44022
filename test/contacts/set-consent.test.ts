import { AuditEntry } from "../../src/features/audit/audit-entry.entity";
import { Consent } from "../../src/features/contacts/consent.entity";
import { AddressKind, ContactAddress } from "../../src/features/contacts/contact-address.entity";
import { Event } from "../../src/features/events/event.entity";
import { Message } from "../../src/features/messages/message.entity";
import { addContact } from "../support/contacts";
import { conversationClient } from "../support/conversations";
import { decisionClient, publish } from "../support/decisions";
import { mint } from "../support/gateway";
import { addLine, lineClient } from "../support/lines";
import { codeOf, firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";

const SET = `mutation ($input: SetConsentInput!) {
  setConsent(input: $input) { consents { addressId topic state source evidence changedAt } }
}`;

const DOCUMENT = {
  situations: { news: {}, later: {} },
  templates: { news: { text: "News", topic: "news" }, plain: "Plain" },
  rules: [
    { id: "news", on: "news", do: [{ send: "news" }, { send: "plain" }] },
    {
      id: "later",
      on: "later",
      do: [
        { send: "news", delaySeconds: 3600 },
        { send: "plain", delaySeconds: 3600 },
      ],
    },
  ],
  policy: {
    topics: { news: { title: "Newsletter", default: "in" }, orders: { title: "Your orders", default: "in" } },
  },
};

describeGateway({ engine: "any" }, (gateway) => {
  let agentId: string;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    await publish(gateway, agentId, DOCUMENT);
  });

  const read = <T extends object>(entity: new () => T, where: object) => gateway.rows.findBy(entity, where);
  /** Creates a new contact with addresses. */
  const newContact = async (count = 1) => {
    const addresses = Array.from({ length: count }, () => ({
      kind: AddressKind.local,
      address: `at ${Math.random()}`,
    }));
    const id = await addContact(gateway, { agentId, addresses });
    return { id, addresses: (await read(ContactAddress, { contactId: id })).map((each) => each.id).sort() };
  };
  const set = async (input: object) => (await gateway.graphql(SET, { input })).body;
  const put = (id: string, topic: string, body: object) =>
    gateway.rest("PUT", `/agent/contacts/${id}/consents/${topic}`, { body });

  test("a consent is set at all addresses of the contact, or at one, with its source and evidence", async () => {
    const { id, addresses } = await newContact(2);
    const evidence = "Form on our website";
    const { data } = await set({ id, topic: "news", state: "out", evidence });
    const about = { topic: "news", state: "out", source: "api", evidence, changedAt: expect.any(String) };
    expect(data.setConsent.consents).toEqual(addresses.map((addressId) => ({ addressId, ...about })));
    const [first, second] = addresses;
    const { status, body } = await put(id, "news", { state: "in", addressId: second });
    expect(status).toBe(200);
    expect(body.consents).toMatchObject([
      { addressId: first, state: "out", evidence },
      { addressId: second, state: "in" },
    ]);
    const shown = await gateway.rest("GET", `/agent/contacts/${id}/consents`);
    expect(shown.body).toEqual(body);
  });

  test("a consent that is already in the requested state is not changed and causes no event", async () => {
    const { id, addresses } = await newContact();
    const first = (await put(id, "orders", { state: "in", evidence: "The first" })).body;
    expect((await put(id, "orders", { state: "in", evidence: "Another" })).body).toEqual(first);
    const events = await read(Event, { subject: `contact:${id}`, type: "contact.consent_changed" });
    expect(events.map(({ data }) => data)).toMatchObject([
      { id, addressId: addresses[0], topic: "orders", state: "in", source: "api" },
    ]);
    const entries = await read(AuditEntry, { targetId: id });
    expect(entries).toMatchObject([{ action: "contact_consent_set", targetName: id }]);
    expect(entries[0]?.changes).toEqual([
      { field: "topic", before: null, after: "orders" },
      { field: "state", before: null, after: "in" },
    ]);
  });

  test("an address's consents are listed in the order of their creation, whichever was changed last", async () => {
    const { id } = await newContact();
    for (const [topic, state] of [
      ["news", "in"],
      ["orders", "in"],
      ["news", "out"],
    ] as const)
      await put(id, topic, { state });
    const { body } = await gateway.rest("GET", `/agent/contacts/${id}/consents`);
    expect(body.consents).toMatchObject([{ topic: "news", state: "out" }, { topic: "orders" }]);
  });

  test("`*` opts an address out of all messages, and back in", async () => {
    const { id } = await newContact();
    await put(id, "*", { state: "out" });
    expect(await read(ContactAddress, { contactId: id })).toMatchObject([{ optedOutAt: expect.any(String) }]);
    await put(id, "*", { state: "in" });
    expect(await read(ContactAddress, { contactId: id })).toMatchObject([{ optedOutAt: null }]);
  });

  test("an opt-out cancels queued messages about the topic, and `*` cancels all of them", async () => {
    const { id: lineId, name } = await addLine(gateway, { agentId });
    await lineClient(gateway).pause(lineId);
    const { id } = await newContact();
    const { body } = await conversationClient(gateway).open({ contact: { id }, line: name });
    const conversationId = body.data.openConversation.conversation.id;
    for (const type of ["news", "later"]) await decisionClient(gateway).decide({ type, conversationId });
    const states = async () =>
      (await read(Message, { conversationId }))
        .map(({ text, status, errorCode }) => [text, status, errorCode].join(" ").trim())
        .sort();
    expect(await states()).toEqual(["News queued", "News scheduled", "Plain queued", "Plain scheduled"]);
    await put(id, "orders", { state: "out" });
    await put(id, "news", { state: "out" });
    const canceled = "News canceled opted_out";
    expect(await states()).toEqual([canceled, canceled, "Plain queued", "Plain scheduled"]);
    await conversationClient(gateway).send(conversationId, "By a client");
    await put(id, "*", { state: "out" });
    expect((await states()).filter((state) => !state.endsWith("canceled opted_out"))).toEqual([]);
  });

  test.each([
    ["an unknown topic", { topic: "new" }, "topic", 'Did you mean "news"?'],
    ["a topic that is too long", { topic: "x".repeat(64) }, "topic", "63"],
    ["evidence that is too long", { topic: "news", evidence: "x".repeat(501) }, "evidence", "500"],
    ["a text that no database can store", { topic: "news", evidence: "\0" }, "evidence", ""],
  ])("%s is rejected", async (_, { topic, ...body }: { topic: string; evidence?: string }, path, message) => {
    const { id } = await newContact();
    const { status, body: answer } = await put(id, topic, { state: "in", ...body });
    expect(status).toBe(400);
    expect(JSON.stringify(answer)).toContain(path);
    expect(JSON.stringify(answer)).toContain(JSON.stringify(message).slice(1, -1));
    expect(await read(Consent, { agentId, topic })).not.toContainEqual(
      expect.objectContaining({ topic: "new" }),
    );
  });

  test("only the contact's own addresses can be named, and a contact without addresses cannot consent", async () => {
    const { id } = await newContact();
    const another = await newContact();
    const addressId = another.addresses[0];
    expect((await put(id, "news", { state: "out", addressId })).status).toBe(404);
    const without = await addContact(gateway, { agentId });
    expect((await put(without, "news", { state: "out" })).status).toBe(409);
    expect((await put("01a1fcd2-9a10-7c1e-9f0b-6a1f7c0f2b11", "news", { state: "out" })).status).toBe(404);
    expect(await read(Consent, { addressId })).toEqual([]);
  });

  test("a batch of contacts sets the consents of new and existing contacts", async () => {
    const address = `at ${Math.random()}`;
    const consents = [
      { topic: "news", state: "in", evidence: "Imported from the shop" },
      { topic: "orders", state: "out" },
    ];
    const ref = `ref ${Math.random()}`;
    const contacts = [
      { ref, addresses: [{ kind: "local", address }], consents },
      { ref: `ref ${Math.random()}`, consents },
      { addresses: [{ kind: "local", address }], consents: [{ topic: "news", state: "out" }] },
    ];
    const batch = (items: object[]) =>
      gateway.rest("POST", "/agent/contacts/batch", { body: { contacts: items } });
    const { body } = await batch(contacts);
    expect(body.results).toMatchObject([{ created: true }, { errorCode: "conflict" }, { created: false }]);
    const [{ contactId }] = body.results;
    const shown = await gateway.rest("GET", `/agent/contacts/${contactId}/consents`);
    const found = [...shown.body.consents].sort((a, b) => (a.topic < b.topic ? -1 : 1));
    expect(found).toMatchObject([
      { topic: "news", state: "out", source: "import" },
      { topic: "orders", state: "out", source: "import" },
    ]);
  });

  test("a contact in a batch with an unknown topic is rejected as if it were sent alone", async () => {
    const [ref, known] = [`ref ${Math.random()}`, `ref ${Math.random()}`];
    const addresses = [{ kind: "local", address: ref }];
    const mistaken = { ref, addresses, consents: [{ topic: "order", state: "in" }] };
    const { body: alone } = await gateway.rest("POST", "/agent/contacts", { body: mistaken });
    const { status, body } = await gateway.rest("POST", "/agent/contacts/batch", {
      body: { contacts: [mistaken, { ref: known }] },
    });
    expect(status).toBe(200);
    expect(body.results).toEqual([
      { created: false, errorCode: "invalid_request", errorText: alone.message },
      { created: true, contactId: expect.any(String) },
    ]);
    expect(alone.message).toBe(
      'consents.0.topic is not a topic of the agent\'s policy. Did you mean "orders"?',
    );
    expect(await read(ContactAddress, { address: ref })).toEqual([]);
  });

  test("an agent shows its topics only to keys that may read contacts", async () => {
    const query = "{ whoami { agent { topics { name title default } } } }";
    const { body } = await gateway.graphql(query);
    expect(body.data.whoami.agent.topics).toEqual([
      { name: "news", title: "Newsletter", default: "in" },
      { name: "orders", title: "Your orders", default: "in" },
    ]);
    const { secret: token } = await mint(gateway, { scopes: ["pets:read"] });
    const rejected = await gateway.graphql(query, {}, { token });
    expect(codeOf(rejected)).toBe("insufficient_scope");
  });
});
