import type { Tx } from "../../src/database/unit-of-work";
import { lockAgent } from "../../src/features/agents/agent-scope";
import { Contact } from "../../src/features/contacts/contact.entity";
import { lockContacts } from "../../src/features/contacts/known-contact";
import { putContacts } from "../../src/features/contacts/put-contact";
import { findParticipants } from "../../src/features/decisions/participants";
import { lockSenders } from "../../src/features/inbound/arrivals";
import { contactClient } from "../support/contacts";
import { lockWaits } from "../support/lock-waits";
import { codeOf, firstAgentId } from "../support/people";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const PHONE = { kind: "phone", address: "+41446681800" };

describeGateway((gateway, engine) => {
  const post = (contacts: readonly object[]) =>
    gateway.rest("POST", "/agent/contacts/batch", { body: { contacts } });
  const results = async (contacts: readonly object[]) => {
    const { status, body } = await post(contacts);
    expect(status).toBe(200);
    return body.results;
  };
  const find = async (ref: string) => (await contactClient(gateway).find({ ref })).body.data.contact;

  test("each contact in a batch is stored as if sent alone, or its result says why not", async () => {
    await contactClient(gateway).put({ ref: "known", name: "Anna", addresses: [PHONE] });
    const tags = (count: number) => Array.from({ length: count }, (_, i) => `tag-${i}`);
    const answered = await results([
      {
        ref: "new",
        name: "Bert",
        tags: ["VIP", "vip"],
        addresses: [{ kind: "email", address: "b@example.com" }],
      },
      { ref: "known", locale: "de", tags: ["vip"] },
      { ref: "not its owner", addresses: [PHONE] },
      { ref: "full", tags: tags(51) },
      { addresses: [PHONE] },
    ]);
    const known = await find("known");
    expect(answered).toEqual([
      { contactId: (await find("new")).id, created: true },
      { contactId: known.id, created: false },
      { created: false, errorCode: "conflict", errorText: expect.stringMatching(/^Another/) },
      { created: false, errorCode: "limit_reached", errorText: expect.stringMatching(/50 tags/) },
      { contactId: known.id, created: false },
    ]);
    expect(await find("new")).toMatchObject({ name: "Bert", tags: ["vip"], version: 1 });
    expect(known).toMatchObject({ name: "Anna", locale: "de", tags: ["vip"], version: 2 });
    expect([await find("not its owner"), await find("full")]).toEqual([null, null]);
  });

  test("a contact that appears several times is changed in order, and no change is lost", async () => {
    for (const ref of ["a known one", "a new one"]) {
      if (ref === "a known one") await contactClient(gateway).put({ ref });
      const address = { kind: "local", address: ref };
      const answered = await results([
        { ref, name: "Nina" },
        { ref, locale: "de", addresses: [address] },
        { ref, timezone: "Europe/Zurich", tags: ["one"] },
        { addresses: [address], attributes: { plan: "pro" }, tags: ["one", "two"] },
      ]);
      expect(new Set(answered.map(({ contactId }: { contactId: string }) => contactId)).size).toBe(1);
      const tagged = { tags: ["one", "two"], addresses: [address] };
      const fields = { name: "Nina", locale: "de", timezone: "Europe/Zurich", attributes: { plan: "pro" } };
      expect(await find(ref)).toMatchObject({ ...fields, ...tagged });
    }
  });

  test("a batch keeps all changes to a contact that it names by ref and by address", async () => {
    const address = { kind: "local", address: "by both" };
    await contactClient(gateway).put({ ref: "by both", addresses: [address] });
    await results([
      { ref: "by both", name: "Nina" },
      { addresses: [address], locale: "de" },
    ]);
    await results([
      { ref: "by both", tags: ["one", "both"] },
      { addresses: [address], tags: ["both", "two"] },
    ]);
    expect(await find("by both")).toMatchObject({ name: "Nina", locale: "de", tags: ["both", "one", "two"] });
  });

  test("the tags of a contact that a batch names by ref and by address stay within the limit", async () => {
    const address = { kind: "local", address: "many tags" };
    await contactClient(gateway).put({ ref: "many tags", addresses: [address] });
    const tags = (name: string) => Array.from({ length: 26 }, (_, i) => `${name}-${i}`);
    const answered = await results([
      { ref: "many tags", tags: tags("a") },
      { addresses: [address], tags: tags("b") },
    ]);
    expect(answered).toMatchObject([{ created: false }, { errorCode: "limit_reached" }]);
    expect((await find("many tags")).tags).toHaveLength(26);
  });

  test("contacts with more addresses than a contact can have do not affect the others", async () => {
    const addresses = (i: number) =>
      Array.from({ length: 100 }, (_, j) => ({ kind: "local", address: `many ${i} ${j}` }));
    const contacts = Array.from({ length: 66 }, (_, i) => ({ ref: `full ${i}`, addresses: addresses(i) }));
    const answered = await results([...contacts, { ref: "beside full ones" }]);
    const codes = answered.map(({ errorCode }: { errorCode?: string }) => errorCode);
    expect(codes).toEqual([...contacts.map(() => "limit_reached"), undefined]);
    expect(answered.at(-1)).toMatchObject({ created: true });
  });

  slowTest("one request stores 500 contacts, and its repeat changes none", async () => {
    const contacts = Array.from({ length: 500 }, (_, i) => ({ ref: `many ${i}`, tags: ["many"] }));
    const first = await results(contacts);
    expect(first.every(({ created }: { created: boolean }) => created)).toBe(true);
    const second = await results(contacts);
    expect(second).toEqual(first.map((result: object) => ({ ...result, created: false })));
    expect(await find("many 499")).toMatchObject({ tags: ["many"], version: 1 });
  });

  /** Contacts that both APIs reject individually. */
  const INVALID: [string, object][] = [
    ["a malformed address", { addresses: [{ ...PHONE, address: "1" }] }],
    ["no key", { name: "Anna" }],
    ["a malformed tag", { ref: "x", tags: ["not a tag"] }],
    ["an invalid name and an invalid language", { ref: "x", name: "", locale: "xx-nowhere" }],
    ["too many addresses", { ref: "x", addresses: Array.from({ length: 101 }, () => PHONE) }],
    ["attributes of 9 KB", { ref: "x", attributes: { text: "x".repeat(9_000) } }],
  ];
  /** Contacts that only REST rejects individually, because GraphQL checks the types of all variables. */
  const MISTYPED: [string, unknown][] = [
    ["an unknown member", { ref: "x", nmae: "Anna" }],
    ["a number instead of a text", { ref: 17 }],
    ["an unknown kind of address", { addresses: [{ kind: "fax", address: "1" }] }],
    ["an agent", { ref: "x", agentId: "x" }],
    ["a list", []],
    ["null", null],
  ];

  test.each([...INVALID, ...MISTYPED])(
    "a contact with %s is rejected as if sent alone, and the others are stored",
    async (what, contact) => {
      const [before, after] = [`before ${what}`, `after ${what}`];
      const { body: alone, status } = await gateway.rest("POST", "/agent/contacts", {
        body: contact as object,
      });
      expect([status, alone.code]).toEqual([400, "invalid_request"]);
      const rejected = { created: false, errorCode: "invalid_request", errorText: alone.message };
      const answered = await results([{ ref: before }, contact as object, { ref: after }, contact as object]);
      expect(answered).toEqual([
        { contactId: (await find(before)).id, created: true },
        rejected,
        { contactId: (await find(after)).id, created: true },
        rejected,
      ]);
      expect(await find("x")).toBeNull();
    },
  );

  test.each(INVALID)("in GraphQL, only the contact with %s is rejected", async (what, contact) => {
    const query =
      "mutation ($input: PutContactsInput!) { putContacts(input: $input) { results { contactId errorCode errorText } } }";
    const ref = `beside ${what}`;
    const { body } = await gateway.graphql(query, { input: { contacts: [contact, { ref }] } });
    expect(body.data.putContacts.results).toEqual([
      { contactId: null, errorCode: "invalid_request", errorText: expect.any(String) },
      { contactId: (await find(ref)).id, errorCode: null, errorText: null },
    ]);
    const { body: alone } = await contactClient(gateway).put(contact);
    const text = body.data.putContacts.results[0].errorText;
    expect(alone.errors[0].message.replaceAll("input.", "")).toBe(text);
  });

  test("a body without a list is rejected", async () => {
    for (const body of [{ contacts: { ref: "x" } }, { contacts: null }, {}, [{ ref: "x" }]])
      expect((await gateway.rest("POST", "/agent/contacts/batch", { body })).status).toBe(400);
    expect(await find("x")).toBeNull();
  });

  test.each<[string, object[], string]>([
    ["no contact", [], "contacts"],
    ["501 contacts", Array.from({ length: 501 }, (_, i) => ({ ref: `${i}` })), "contacts"],
  ])("with %s, nothing is stored, and the error says where", async (_, contacts, path) => {
    const { status, body } = await post(contacts);
    expect({ status, code: body.code }).toEqual({ status: 400, code: "invalid_request" });
    expect(body.message).toContain(path);
    expect(await find("x")).toBeNull();
    const graphql = await gateway.graphql(
      "mutation ($input: PutContactsInput!) { putContacts(input: $input) { results { contactId } } }",
      { input: { contacts } },
    );
    expect(codeOf(graphql)).toBe("invalid_request");
    expect(JSON.stringify(graphql.body.errors)).toContain(path);
  });

  if (engine.name !== "PostgreSQL") return;

  test.each<[string, (tx: Tx, agentId: string, names: readonly string[]) => Promise<unknown>]>([
    [
      "contacts",
      (tx, agentId, names) =>
        putContacts(
          tx,
          names.map((ref) => ({ agentId, ref })),
          gateway.services.consents,
        ),
    ],
    [
      "decisions",
      (tx, agentId, names) =>
        findParticipants(
          tx,
          names.map((ref) => ({ agentId, contact: { ref } })),
          new Map(),
          gateway.services.consents,
        ),
    ],
    [
      "inbound messages",
      (tx, agentId, names) =>
        lockSenders(
          tx,
          names.map((address) => ({ agentId, address: { kind: "local", address } })),
        ),
    ],
  ])(
    "a batch of %s with a new contact holds no known one while it waits for the agent",
    async (what, store) => {
      const known = `known to ${what}`;
      const { database } = gateway.services;
      const { body } = await contactClient(gateway).put({
        ref: known,
        addresses: [{ kind: "local", address: known }],
      });
      const { id } = body.data.putContact.contact;
      const agentId = await firstAgentId(gateway);
      let stored: Promise<unknown> = Promise.resolve();
      await database.write(async (tx) => {
        await lockAgent(tx, agentId);
        stored = database.write((other) => store(other, agentId, [known, `new to ${what}`]));
        await waitUntil(async () => (await lockWaits(gateway)) === 1);
        await lockContacts(tx, [id]);
      });
      await stored;
    },
  );

  test("two batches that name the same contacts in opposite orders are both stored", async () => {
    const refs = ["opposite 1", "opposite 2"];
    const stored = await results(refs.map((ref) => ({ ref })));
    const named = (name: string, order: readonly string[]) => order.map((ref) => ({ ref, name }));
    const batches: ReturnType<typeof post>[] = [];
    await gateway.services.database.write(async (tx) => {
      await tx.update(Contact, { id: stored[0].contactId }, { version: () => "version" });
      batches.push(post(named("first", refs)));
      await waitUntil(async () => (await lockWaits(gateway)) === 1);
      batches.push(post(named("second", refs.toReversed())));
      await waitUntil(async () => (await lockWaits(gateway)) === 2);
    });
    expect((await Promise.all(batches)).map(({ status }) => status)).toEqual([200, 200]);
    const versions = await Promise.all(refs.map(async (ref) => (await find(ref)).version));
    expect(versions).toEqual([3, 3]);
  });
});
