import { IsNull, Not } from "typeorm";
import { InstanceKey } from "../../src/credentials/instance-key";
import { Consent, ConsentSource, ConsentState } from "../../src/features/contacts/consent.entity";
import { rehashConsents } from "../../src/features/contacts/consents";
import { AddressKind, ContactAddress } from "../../src/features/contacts/contact-address.entity";
import { putContact } from "../../src/features/contacts/put-contact";
import { Message } from "../../src/features/messages/message.entity";
import { MessageStatus } from "../../src/features/messages/message.enums";
import { addContact, contactClient } from "../support/contacts";
import { conversationClient } from "../support/conversations";
import { addSender, type Sender } from "../support/inbound";
import { lockWaits } from "../support/lock-waits";
import { firstAgentId, operatorOfAgent } from "../support/people";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";
import { waitUntil } from "../support/wait-until";

const PEOPLE = 24;
/** Number of people handled concurrently. */
const TOGETHER = 4;
const WAYS = ["a new contact", "an existing contact", "an inbound message", "a batch"] as const;

describeGateway({ engine: "any", env: { DELIVERY_WORKERS: "1" } }, (gateway, engine) => {
  let agentId: string;
  let sender: Sender;
  const contacts = contactClient(gateway);
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    sender = await addSender(gateway, { agentId });
  });

  const read = <T extends object>(entity: new () => T, where: object) => gateway.rows.findBy(entity, where);
  const addressOf = async (address: string) => (await read(ContactAddress, { address }))[0];
  const local = (address: string) => [{ kind: AddressKind.local, address }];

  /** Adds an address in one of several ways. */
  const add: Record<(typeof WAYS)[number], (address: string) => Promise<unknown>> = {
    "a new contact": (address) => addContact(gateway, { agentId, addresses: local(address) }),
    "an existing contact": async (address) => {
      const ref = `of ${address}`;
      await addContact(gateway, { agentId, ref });
      await contacts.put({ ref, addresses: local(address) });
    },
    "an inbound message": (address) => sender.text(address, "Hello?"),
    "a batch": (address) =>
      gateway.rest("POST", "/agent/contacts/batch", { body: { contacts: [{ addresses: local(address) }] } }),
  };

  slowTest(
    "an opt-out still applies after the contact is erased and the address is added again, 24 times out of 24",
    async () => {
      const people = Array.from({ length: PEOPLE }, (_, i) => `person ${i}`);
      for (let from = 0; from < PEOPLE; from += TOGETHER)
        await Promise.all(
          people.slice(from, from + TOGETHER).map(async (address, i) => {
            const { body } = await sender.text(address, "STOP");
            await contacts.erase(body.contactId);
            await add[WAYS[i % WAYS.length] as (typeof WAYS)[number]](address);
          }),
        );
      const optedOut = await Promise.all(people.map(addressOf));
      expect(optedOut.filter((address) => address?.optedOutAt != null)).toHaveLength(PEOPLE);
      const [{ contactId } = { contactId: "" }] = optedOut.flatMap((each) => each ?? []);
      const line = { id: sender.lineId };
      const { body } = await conversationClient(gateway).open({
        contact: { id: contactId },
        line,
        message: "Hi",
      });
      const { id } = body.data.openConversation.message;
      await waitUntil(async () => (await read(Message, { id }))[0]?.status === MessageStatus.canceled);
      expect(await read(Message, { id })).toMatchObject([{ errorCode: "opted_out", attempts: 0 }]);
    },
  );

  test("the consent of an erased contact names no one, and START applies to the address", async () => {
    const { body } = await sender.text("somebody", "STOP");
    await contacts.erase(body.contactId);
    await sender.text("somebody", "START");
    expect(await addressOf("somebody")).toMatchObject({ optedOutAt: null });
    const [consent] = await read(Consent, { addressId: (await addressOf("somebody"))?.id });
    expect(consent).toMatchObject({ topic: "*", state: "in", source: "contact", evidence: null });
    await contacts.erase((await addressOf("somebody"))?.contactId ?? "");
    const [left] = await read(Consent, { id: consent?.id });
    expect(left).toMatchObject({ addressId: null, evidence: null });
    expect(JSON.stringify(left)).not.toContain("somebody");
  });

  test("a contact shows its consents by address", async () => {
    const { body } = await sender.text("shown", "STOP");
    const query =
      "query ($id: ID!) { contact(by: { id: $id }) { consents { addressId topic state source } } }";
    const shown = await gateway.graphql(query, { id: body.contactId });
    const addressId = (await addressOf("shown"))?.id;
    expect(shown.body.data.contact.consents).toEqual([
      { addressId, topic: "*", state: "out", source: "contact" },
    ]);
    await sender.text("shown", "START");
    const again = await gateway.graphql(query, { id: body.contactId });
    expect(again.body.data.contact.consents).toMatchObject([{ state: "in" }]);
  });

  test("an export contains the contact's consents and no others", async () => {
    const { body } = await sender.text("exported", "STOP");
    await sender.text("another", "STOP");
    const context = await operatorOfAgent(gateway, agentId);
    const args = { id: body.contactId, first: 100, after: null };
    const { nodes } = await gateway.services.contactExport.read(context, args);
    const consents = nodes.filter(({ kind }) => kind === "consent").map(({ data }) => data);
    expect(consents).toMatchObject([{ topic: "*", state: "out", source: "contact" }]);
  });

  test("an address that was removed and added to another contact of the agent stays opted out", async () => {
    await sender.text("moved", "STOP");
    const { contactId } = (await addressOf("moved")) ?? {};
    await contacts.put({ ref: "one", addresses: local("moved") });
    await contacts.put({ ref: "one", addresses: null });
    expect(await addressOf("moved")).toBeUndefined();
    await contacts.put({ ref: "another", addresses: local("moved") });
    const address = await addressOf("moved");
    expect(address?.optedOutAt).not.toBeNull();
    expect(address?.contactId).not.toBe(contactId);
  });

  test("another instance key keeps the opt-outs of stored addresses and loses the others", async () => {
    await sender.text("stored", "STOP");
    const { body } = await sender.text("not stored", "STOP");
    await contacts.erase(body.contactId);
    const key = InstanceKey.parse(InstanceKey.generate()) as InstanceKey;
    const [before] = await read(Consent, { addressId: (await addressOf("stored"))?.id });
    await gateway.services.database.write((tx) => rehashConsents(tx, key));
    const after = await read(Consent, { addressId: Not(IsNull()) });
    const [stored] = after.filter(({ id }) => id === before?.id);
    expect(stored?.addressHash).toBe(key.hash(`consent ${agentId} local stored`));
    expect(await read(Consent, { addressId: IsNull() })).toEqual([]);
  });

  if (engine.name !== "PostgreSQL") return;

  test.each([
    ["no consent", false],
    ["an opt-in", true],
  ])(
    "an opt-out by link holds for an address with %s that another transaction is adding at the same time",
    async (consent, isOptedIn) => {
      const { database, consents, unsubscribing } = gateway.services;
      const to = { agentId, kind: AddressKind.local, address: `with ${consent}` };
      const optIn = { topic: "news", state: ConsentState.in, source: ConsentSource.api, evidence: null };
      if (isOptedIn)
        await database.write((tx) => consents.change(tx, [{ ...optIn, contact: null, addresses: [to] }]));
      let isStored = false;
      let optingOut = Promise.resolve();
      await database.write(async (tx) => {
        await putContact(tx, agentId, { addresses: local(to.address) }, consents);
        optingOut = unsubscribing.unsubscribe({ ...to, topic: "news" }).then(() => {
          isStored = true;
        });
        await waitUntil(async () => isStored || (await lockWaits(gateway)) > 0);
      });
      await optingOut;
      const addressId = (await addressOf(to.address))?.id;
      expect(await read(Consent, { addressId })).toMatchObject([{ topic: "news", state: "out" }]);
    },
  );
});
