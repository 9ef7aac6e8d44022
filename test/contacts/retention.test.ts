import { v7 as uuid } from "uuid";
import { DAY_MS, timestamp } from "../../src/common/time";
import { Consent } from "../../src/features/contacts/consent.entity";
import { Contact } from "../../src/features/contacts/contact.entity";
import { ContactAddress } from "../../src/features/contacts/contact-address.entity";
import { ContactTag } from "../../src/features/contacts/contact-tag.entity";
import { UntouchedContacts } from "../../src/features/contacts/erase-untouched";
import { Erasure } from "../../src/features/contacts/erasure.entity";
import { Conversation } from "../../src/features/conversations/conversation.entity";
import { Decision } from "../../src/features/decisions/decision.entity";
import { Message } from "../../src/features/messages/message.entity";
import { Timer } from "../../src/features/timers/timer.entity";
import { contactClient } from "../support/contacts";
import { addAgent, addOrganization, firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";

const ago = (days: number) => timestamp(-days * DAY_MS);
const idFrom = (days: number) => uuid({ msecs: Date.now() - days * DAY_MS });

describeGateway((gateway) => {
  let agentId: string;
  let lineId: string;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
    [{ id: lineId }] = await write("select id from line where agent_id = $1", [agentId]);
  });

  const database = () => gateway.services.database;
  const write = (sql: string, parameters: unknown[]) => gateway.rows.execute(sql, parameters);
  // Not the gateway's own, because its housekeeping would erase contacts at the same time.
  const eraseUntouched = (signal = new AbortController().signal) => {
    const { erasures, hooks } = gateway.services;
    const retention = { RETENTION_CONTACTS_DAYS: 30 };
    return new UntouchedContacts(database(), erasures, hooks, { retention }).erase(signal);
  };

  /** Adds a contact of the given age with an address and a closed conversation, both of the same age. */
  async function addOld(days = 31, of = agentId) {
    const [id, addressId, conversationId] = [idFrom(days), uuid(), idFrom(days)];
    const times = { createdAt: ago(days), updatedAt: ago(days) };
    const own = { id, agentId: of };
    const address = { id: addressId, agentId: of, contactId: id, kind: "other", address: addressId };
    const conversation = { id: conversationId, agentId: of, contactId: id, addressId, lineId, ...times };
    const message = { id: idFrom(days), agentId: of, conversationId, sequence: 1, createdAt: ago(days) };
    await database().write(async (tx) => {
      const contact = { ...own, ...times, touchedAt: ago(days), name: "Anna", version: 1, attributes: {} };
      await tx.insert(Contact, contact as object);
      await tx.insert(ContactAddress, address as object);
      await tx.insert(Conversation, {
        ...{ ...conversation, state: "closed", handler: "agent", version: 1, lastSequence: 1 },
      } as object);
      await tx.insert(Message, { ...message, text: "a secret", status: "delivered" } as object);
    });
    return { id, addressId, conversationId, messageId: message.id };
  }
  type Old = Awaited<ReturnType<typeof addOld>>;

  const isErased = async ({ id, messageId }: Old) => {
    const [contact, message] = await database().read((reader) =>
      Promise.all([
        reader.findOneByOrFail(Contact, { id }),
        reader.findOneByOrFail(Message, { id: messageId }),
      ]),
    );
    expect([contact.name, message.text]).toEqual(contact.erasedAt ? [null, ""] : ["Anna", "a secret"]);
    return contact.erasedAt !== null;
  };

  test("contacts are erased 30 days after anything touched them", async () => {
    const insert = (entity: new () => object, row: object) => gateway.rows.insert(entity, row);
    const setMessage = ({ messageId }: Old, status: string) =>
      write("update message set status = $1 where id = $2", [status, messageId]);
    const setConversation = ({ conversationId }: Old, column: string, value: string) =>
      write(`update conversation set ${column} = $1 where id = $2`, [value, conversationId]);
    const addDecision = ({ id: contactId }: Old, state: string, days: number) =>
      insert(Decision, {
        ...{ id: idFrom(days), agentId, contactId, situation: { type: "x", data: {} }, situationType: "x" },
        ...{ configurationVersion: 1, decider: "rules", effects: [], createdAt: ago(days), state },
      });
    const consent = { topic: "*", state: "out", source: "api", evidence: null };
    const cases: Record<string, [isErased: boolean, (old: Old) => Promise<unknown>, days?: number]> = {
      "without any change": [true, async () => undefined],
      "with an old decision": [true, (old) => addDecision(old, "decided", 31)],
      "whose conversation is open": [true, (old) => setConversation(old, "state", "open")],
      "without a conversation": [false, async () => undefined, 29],
      "changed recently": [
        false,
        ({ id }) => write("update contact set updated_at = $1 where id = $2", [ago(29), id]),
      ],
      "in a recent conversation": [false, (old) => setConversation(old, "updated_at", ago(29))],
      "that waits for a reply": [false, (old) => setConversation(old, "waiting_since", ago(31))],
      "with a queued message": [false, (old) => setMessage(old, "queued")],
      "with a message being sent": [false, (old) => setMessage(old, "sending")],
      "with a scheduled message": [false, (old) => setMessage(old, "scheduled")],
      "with a proposed message": [false, (old) => setMessage(old, "proposed")],
      "with a recent decision": [false, (old) => addDecision(old, "decided", 29)],
      "with a pending decision": [false, (old) => addDecision(old, "deciding", 31)],
      "tagged recently": [
        false,
        ({ id: contactId }) =>
          insert(ContactTag, { contactId, tag: "vip", agentId, addedAt: ago(29), addedBy: "x" }),
      ],
      "with a recent consent": [
        false,
        ({ addressId }) =>
          insert(Consent, {
            ...{ id: uuid(), agentId, addressHash: addressId, addressId, ...consent },
            changedAt: ago(29),
          }),
      ],
      "with a timer": [
        false,
        ({ id: contactId }) =>
          insert(Timer, {
            ...{ id: uuid(), agentId, subjectId: contactId, contactId, isNamed: false, key: "x" },
            ...{
              situationType: "x",
              data: {},
              unless: [],
              dueAt: ago(-1),
              decisionId: uuid(),
              createdAt: ago(31),
            },
          }),
      ],
    };
    const added = new Map<string, Old>();
    for (const [name, [, change, days]] of Object.entries(cases)) {
      const old = await addOld(days);
      await change(old);
      added.set(name, old);
    }
    await eraseUntouched();
    for (const [name, old] of added) expect([name, await isErased(old)]).toEqual([name, cases[name]?.[0]]);
    expect(await gateway.rows.count(Erasure)).toBe(0);
    const [entry] = await write(
      "select action, actor_kind as actor, actor_name as name from audit_entry where target_id = $1",
      [added.get("without any change")?.id],
    );
    expect(entry).toEqual({ action: "contact_erased", actor: "system", name: "gateway" });
  });

  test("an opt-out still applies when the address of an untouched contact is added again", async () => {
    const contacts = contactClient(gateway);
    const addresses = [{ kind: "other", address: "opted out" }];
    const put = async () => (await contacts.put({ ref: "anna", addresses })).body.data.putContact.contact.id;
    const optOut = 'mutation ($id: ID!) { setConsent(input: { id: $id, topic: "*", state: out }) { id } }';
    const id = await put();
    await gateway.graphql(optOut, { id });
    const old = idFrom(31);
    await database().write(async (tx) => {
      const contact = await tx.findOneByOrFail(Contact, { id });
      const times = { touchedAt: ago(31), updatedAt: ago(31) };
      await tx.insert(Contact, { ...contact, id: old, ref: "old", ...times } as object);
      await tx.update(ContactAddress, { contactId: id }, { contactId: old });
      await tx.query("update consent set changed_at = $1", [ago(31)]);
    });
    await eraseUntouched();
    const find = (contactId: string) =>
      gateway.graphql("query ($id: ID!) { contact(by: { id: $id }) { erasedAt addresses { optedOutAt } } }", {
        id: contactId,
      });
    expect((await find(old)).body.data.contact).toEqual({ erasedAt: expect.any(String), addresses: [] });
    expect(await put()).toBe(id);
    expect((await find(id)).body.data.contact.addresses).toEqual([{ optedOutAt: expect.any(String) }]);
  });

  test("a contact in use is examined again a day later, and a touched contact when its retention period is over", async () => {
    const touchedAt = async ({ id }: Old) => (await gateway.rows.findOneByOrFail(Contact, { id })).touchedAt;
    const [waiting, touched] = [await addOld(40), await addOld(40)];
    const set = (old: Old, column: string, value: string) =>
      write(`update conversation set ${column} = $1 where id = $2`, [value, old.conversationId]);
    await set(waiting, "waiting_since", ago(40));
    const lastUse = ago(3);
    await set(touched, "updated_at", lastUse);
    const earliest = ago(29);
    await eraseUntouched();
    const examined = (await touchedAt(waiting)) ?? "";
    expect(examined >= earliest && examined <= ago(29)).toBe(true);
    expect(await touchedAt(touched)).toBe(lastUse);
    await write("update conversation set waiting_since = null", []);
    await write("update contact set touched_at = $1 where id = $2", [ago(31), waiting.id]);
    await eraseUntouched();
    expect([await isErased(waiting), await isErased(touched)]).toEqual([true, false]);
    expect(await touchedAt(waiting)).toBeNull();
  });

  test("organizations take turns, however many agents they have", async () => {
    const busy = await addOrganization(gateway, "busy");
    const agents: { id: string }[] = [{ id: busy.agentId }];
    for (const slug of ["busy-2", "busy-3", "busy-4"]) agents.push(await addAgent(gateway, slug, "busy"));
    const quiet = await addOrganization(gateway, "quiet");
    for (const { id } of [...agents, { id: quiet.agentId }]) await addOld(31, id);
    await eraseUntouched();
    const entries: { owner: string }[] = await write(
      `select organization_id as owner from audit_entry where action = 'contact_erased' order by id desc limit 5`,
      [],
    );
    expect(entries.map(({ owner }) => owner).reverse()).toEqual([
      ...[busy.id, quiet.id],
      ...[busy.id, busy.id, busy.id],
    ]);
  });

  test("the contacts of all organizations are erased, except after a stop", async () => {
    const other = await addOrganization(gateway, "other");
    const added = [await addOld(), await addOld(31, other.agentId)];
    await eraseUntouched(AbortSignal.abort());
    expect(await Promise.all(added.map(isErased))).toEqual([false, false]);
    await eraseUntouched();
    expect(await Promise.all(added.map(isErased))).toEqual([true, true]);
  });
});
