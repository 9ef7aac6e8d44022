import { Permission } from "../../src/auth/permissions";
import { timestamp } from "../../src/common/time";
import { Lane } from "../../src/delivery/lane.entity";
import { HandoffNotice } from "../../src/features/handoff-notices/handoff-notice.entity";
import { auditLog } from "../support/audit";
import { contactClient } from "../support/contacts";
import { addConversation, conversationClient } from "../support/conversations";
import { decisionClient, publish } from "../support/decisions";
import { onEachEngine, type TestDatabase, testOnAny } from "../support/engines";
import { operator, startGateway, type TestGateway } from "../support/gateway";
import { addSender } from "../support/inbound";
import { MailServer, type ReceivedMail, rejection } from "../support/mail-server";
import { addMember, codeOf, firstAgentId, type TestMember } from "../support/people";
import { describeGateway } from "../support/suite";
import { cases } from "../support/tiers";
import { waitUntil } from "../support/wait-until";

const ROUNDS = cases(10);

const READER: Permission[] = [Permission.conversations_read];
const WRITER = [Permission.conversations_read, Permission.conversations_write];

const DOCUMENT = {
  burstSeconds: 0,
  situations: { upset: {}, very_upset: {}, offer: {} },
  templates: { offer: "An offer" },
  rules: [
    { id: "upset", on: "upset", do: [{ handoff: "upset" }] },
    { id: "very-upset", on: "very_upset", do: [{ handoff: "upset", scope: "contact" }] },
    { id: "offer", on: "offer", whileHuman: true, do: [{ send: "offer", review: true }] },
  ],
};

const setNotices = (gateway: TestGateway, agentId: string, { token }: TestMember, enabled = true) =>
  gateway.graphql(
    `mutation ($agentId: ID!, $enabled: Boolean!) {
       setHandoffNotices(input: { agentId: $agentId, enabled: $enabled }) { id handoffNotices }
     }`,
    { agentId, enabled },
    { token },
  );

onEachEngine((engine) => {
  const anyTest = testOnAny(engine);
  let database: TestDatabase;
  let mails: MailServer;
  let gateway: TestGateway;
  let other: TestGateway;
  let agentId: string;
  /** Responds to each e-mail; accepts it by default. */
  let onMail: () => unknown = () => undefined;
  beforeAll(async () => {
    database = await engine.createMigratedDatabase();
    mails = await MailServer.start({ onMail: () => onMail() });
    const env = {
      DELIVERY_WORKERS: "2",
      SMTP_URL: `smtp://127.0.0.1:${mails.port}?ignoreTLS=true`,
      MAIL_FROM: "gateway@example.com",
      PUBLIC_URL: "https://gateway.example.com",
    };
    gateway = await startGateway(engine, { database, env });
    other = await startGateway(engine, { database, env, signInOwner: false });
    other.key = gateway.key;
    agentId = await firstAgentId(gateway);
    await publish(gateway, agentId, DOCUMENT);
  });
  afterAll(async () => {
    for (const each of [other, gateway, mails]) await each?.close();
    await database.drop();
  });

  // Otherwise, the members of other tests would get an e-mail about each handoff.
  afterEach(() => gateway.rows.execute("delete from handoff_subscription"));

  const noticesOf = (conversationId: string) => gateway.rows.findBy(HandoffNotice, { conversationId });
  const mailsTo = ({ email }: TestMember): ReceivedMail[] =>
    mails.received.filter(({ to }) => to.includes(email));
  const api = (of = gateway) => conversationClient(of);
  const newConversation = async (address?: string) =>
    (await addConversation(gateway, { agentId, ...(address !== undefined && { address }) })).id;
  /** Adds a member who gets notices about the agent. */
  const subscriber = async (permissions = READER): Promise<TestMember> => {
    const member = await addMember(gateway, { permissions });
    await setNotices(gateway, agentId, member);
    return member;
  };
  const open = (id: string, { token }: TestMember) =>
    gateway.graphql(
      "mutation ($id: ID!) { markConversationOpened(input: { id: $id }) { id } }",
      { id },
      { token },
    );
  const decide = (conversationId: string, type: string) =>
    decisionClient(gateway).decide({ type, conversationId });
  const assign = (id: string, memberId: string | null) =>
    gateway.rest("POST", `/agent/conversations/${id}/assign`, { body: { memberId } });
  /** Makes the next attempt of notices due. */
  const retry = async (...notices: readonly HandoffNotice[]) => {
    const past = timestamp(-1);
    await gateway.services.database.write(async (tx) => {
      for (const { id } of notices) {
        await tx.update(HandoffNotice, { id }, { retryAt: past });
        await tx.update(Lane, { id }, { wakeAt: past });
      }
    });
    gateway.services.lanes.notify();
  };
  const laneOf = ({ id }: HandoffNotice) => gateway.rows.findOneBy(Lane, { id });
  const find = ({ id }: HandoffNotice) => gateway.rows.findOneByOrFail(HandoffNotice, { id });
  /** Adds a notice whose first attempt the mail server has rejected. */
  const rejected = async (member: TestMember, id: string): Promise<HandoffNotice> => {
    onMail = () => rejection(451, "try later");
    await api().handOff(id);
    await waitUntil(async () => {
      const [notice] = (await noticesOf(id)).filter(({ memberId }) => memberId === member.id);
      const lane = notice && (await laneOf(notice));
      return lane != null && lane.lease === null && notice?.attempts === 1;
    });
    onMail = () => undefined;
    return (await noticesOf(id)).find(({ memberId }) => memberId === member.id) as HandoffNotice;
  };

  anyTest("a member is notified of a handoff once, until a member has opened the conversation", async () => {
    const anna = await subscriber();
    const ben = await addMember(gateway, { permissions: READER });
    const address = `secret ${Math.random()}`;
    const id = await newConversation(address);
    await decide(id, "upset");
    await waitUntil(() => mailsTo(anna).length === 1);
    const [mail] = mailsTo(anna) as [ReceivedMail];
    expect([mail.from, mail.email.subject]).toEqual([
      "gateway@example.com",
      "First agent: a conversation needs a person",
    ]);
    expect(mail.email.text).toContain(`https://gateway.example.com/dashboard/conversations/${id}\n`);
    expect(mail.raw).toContain("Auto-Submitted: auto-generated");
    expect(mail.raw).not.toContain(address);
    expect(mailsTo(ben)).toEqual([]);
    await waitUntil(async () => (await noticesOf(id))[0]?.sentAt !== null);
    const [notice] = (await noticesOf(id)) as [HandoffNotice];

    await api().release(id);
    await decide(id, "upset");
    expect(await noticesOf(id)).toEqual([notice]);
    expect(codeOf(await open(id, ben))).toBeUndefined();
    expect(await noticesOf(id)).toEqual([]);
    await waitUntil(async () => (await laneOf(notice)) === null);
    expect(codeOf(await open(id, ben))).toBeUndefined();
    await api().release(id);
    await decide(id, "upset");
    await waitUntil(() => mailsTo(anna).length === 2);
    expect(mailsTo(anna)[1]?.email.messageId).not.toBe(mail.email.messageId);
  });

  anyTest.each<[string, boolean, (id: string) => Promise<unknown>]>([
    [
      "a member's answer",
      true,
      async (id) => api().send(id, "hi", await addMember(gateway, { permissions: WRITER })),
    ],
    [
      "an answer through an API key",
      true,
      (id) => gateway.rest("POST", `/agent/conversations/${id}/messages`, { body: { message: "hi" } }),
    ],
    [
      "an approved message",
      true,
      async (id) => {
        const { body } = await decide(id, "offer");
        await gateway.rest("POST", `/messages/${body.explanation.effects[0].messageId}/approve`, {
          body: {},
        });
      },
    ],
    ["a release", false, (id) => api().release(id)],
    ["an assignment", false, (id) => assign(id, null)],
    ["reading it with an API key", false, (id) => api().find(id)],
  ])("%s counts as opening the conversation: %s", async (_, counts, act) => {
    const anna = await subscriber();
    const id = await newConversation();
    await api().handOff(id);
    await waitUntil(() => mailsTo(anna).length === 1);
    await waitUntil(async () => (await noticesOf(id)).every(({ sentAt }) => sentAt !== null));
    await act(id);
    const left = (await noticesOf(id)).map(({ memberId }) => memberId);
    expect(left.includes(anna.id)).toBe(!counts);
  });

  anyTest("only the assignee is notified, and never the member who hands off", async () => {
    const anna = await subscriber(WRITER);
    const ben = await subscriber(WRITER);
    const silent = await addMember(gateway, { permissions: READER });
    const told = async (id: string, token = gateway.key) => {
      await api().handOff(id, {}, { token });
      const ids = (await noticesOf(id)).map(({ memberId }) => memberId);
      return [anna, ben].map((each) => ids.includes(each.id));
    };
    const [assigned, toSilent, byBen, byBenAssigned, toAll] = (await Promise.all(
      Array.from({ length: 5 }, () => newConversation()),
    )) as [string, string, string, string, string];
    await assign(assigned, anna.id);
    await assign(toSilent, silent.id);
    await assign(byBenAssigned, ben.id);
    expect(await told(assigned)).toEqual([true, false]);
    expect(await told(toSilent)).toEqual([false, false]);
    expect(await told(byBen, ben.token)).toEqual([true, false]);
    expect(await told(byBenAssigned, ben.token)).toEqual([false, false]);
    expect(await told(toAll)).toEqual([true, true]);
    await waitUntil(() => mailsTo(anna).some(({ email }) => email.text?.includes(assigned)));
    const [mail] = mailsTo(anna).filter(({ email }) => email.text?.includes(assigned));
    expect(mail?.email.text).toContain("was handed off to a person and is assigned to you");
  });

  anyTest(
    "a handoff of a contact is a handoff of each conversation, including ones that the contact starts",
    async () => {
      const anna = await subscriber();
      const sender = await addSender(gateway, { agentId });
      const elsewhere = await addSender(gateway, { agentId });
      const from = `from ${Math.random()}`;
      await sender.text(from, "hello");
      const list = async () => {
        const { body } = await contactClient(gateway).list({ first: 100 } as never);
        const contact = body.data.contacts.nodes.find((each: { addresses: { address: string }[] }) =>
          each.addresses.some(({ address }) => address === from),
        );
        return (await api().list({ contactId: contact.id })).body.data.conversations.nodes as {
          id: string;
        }[];
      };
      const [first] = (await list()) as [{ id: string }];
      await decide(first.id, "very_upset");
      await waitUntil(() => mailsTo(anna).length === 1);
      await elsewhere.text(from, "here I am");
      await elsewhere.text(from, "hello?");
      await waitUntil(() => mailsTo(anna).length === 2);
      const second = (await list()).find(({ id }) => id !== first.id);
      expect(mailsTo(anna).map(({ email }) => email.text)).toEqual(
        [first.id, second?.id].map((id) => expect.stringContaining(`/conversations/${id}\n`)),
      );
    },
  );

  anyTest("a rejected mail is retried as the same mail, and given up after thirty attempts", async () => {
    const anna = await subscriber();
    const id = await newConversation();
    const notice = await rejected(anna, id);
    expect(Date.parse(notice.retryAt ?? "")).toBeGreaterThan(Date.parse(notice.createdAt) + 4_000);
    await retry(notice);
    await waitUntil(async () => (await laneOf(notice)) === null);
    const ids = mailsTo(anna).map(({ email }) => email.messageId);
    expect(ids).toEqual([expect.stringContaining(notice.id), ids[0]]);
    expect(await noticesOf(id)).toContainEqual(expect.objectContaining({ id: notice.id, attempts: 2 }));

    const hopeless = await rejected(anna, await newConversation());
    await gateway.rows.update(HandoffNotice, { id: hopeless.id }, { attempts: 30 });
    await retry(hopeless);
    await waitUntil(async () => (await laneOf(hopeless)) === null);
    expect(await noticesOf(hopeless.conversationId)).not.toContainEqual(
      expect.objectContaining({ id: hopeless.id }),
    );
    expect(mailsTo(anna)).toHaveLength(3);
  });

  // SQLite has one writer at a time.
  if (engine.name === "PostgreSQL")
    anyTest("a notice locked by a transaction that is rolled back is still sent", async () => {
      const anna = await subscriber();
      const notice = await rejected(anna, await newConversation());
      const past = timestamp(-1);
      const change = gateway.services.database.write(async (tx) => {
        await tx.update(HandoffNotice, { id: notice.id }, { retryAt: past });
        await gateway.rows.update(Lane, { id: notice.id }, { wakeAt: past });
        gateway.services.lanes.notify();
        await waitUntil(async () => (await laneOf(notice))?.wakeAt !== past);
        throw new Error("rolled back");
      });
      await expect(change).rejects.toThrow("rolled back");
      await retry(notice);
      await waitUntil(() => mailsTo(anna).length === 2);
    });

  anyTest("a mail that may have arrived is sent at most three times", async () => {
    const anna = await subscriber();
    const notice = await rejected(anna, await newConversation());
    // This reply neither accepts nor rejects the e-mail.
    onMail = () => rejection(354, "go ahead");
    for (const copies of [1, 2]) {
      await retry(notice);
      await waitUntil(async () => mailsTo(anna).length > copies && (await laneOf(notice))?.lease === null);
    }
    await retry(notice);
    await waitUntil(async () => (await laneOf(notice)) === null);
    onMail = () => undefined;
    expect(mailsTo(anna)).toHaveLength(4);
    const ids = (await noticesOf(notice.conversationId)).map(({ id }) => id);
    expect(ids).not.toContain(notice.id);
  });

  anyTest(
    "a process that is killed during an attempt delays the next attempt by its lease, however many have failed",
    async () => {
      const anna = await subscriber();
      const notice = await rejected(anna, await newConversation());
      for (const attempts of [0, 5, 28]) {
        let answer: (reply: unknown) => void = () => undefined;
        onMail = () => new Promise((resolve) => (answer = resolve));
        await gateway.rows.update(HandoffNotice, { id: notice.id }, { attempts });
        const mailsBefore = mailsTo(anna).length;
        await retry(notice);
        await waitUntil(() => mailsTo(anna).length > mailsBefore);
        // A killed process would leave these rows.
        const [{ retryAt, attempts: counted }, lane] = [await find(notice), await laneOf(notice)];
        // The e-mail may have arrived.
        expect(counted).toBe(attempts + 10);
        const waits = [retryAt, lane?.leaseUntil, lane?.wakeAt].map(
          (at) => Date.parse(at ?? "") - Date.now(),
        );
        expect(Math.max(...waits)).toBeLessThanOrEqual(30_000);
        onMail = () => undefined;
        answer(rejection(451, "try later"));
        await waitUntil(async () => (await laneOf(notice))?.lease === null);
        const delay = Date.parse((await find(notice)).retryAt ?? "") - Date.now();
        expect(delay > 30_000).toBe(attempts > 0);
        expect(delay).toBeLessThanOrEqual(1.2 * 3_600_000);
      }
    },
  );

  anyTest.each<[string, (id: string, member: TestMember) => Promise<unknown>]>([
    ["the conversation was released", (id) => api().release(id)],
    ["the conversation was closed", (id) => api().close(id)],
    ["the conversation was opened", async (id, member) => open(id, member)],
    ["another member became the assignee", async (id) => assign(id, (await addMember(gateway)).id)],
    ["the member switched them off", (_, member) => setNotices(gateway, agentId, member, false)],
    [
      "the member may no longer read conversations",
      async (_, { id: memberId }) =>
        gateway.services.members.revokeAllPermissions(await operator(gateway), memberId),
    ],
    [
      "the member was removed",
      async (_, { id }) => gateway.services.members.remove(await operator(gateway), id),
    ],
  ])("a notice is not sent after %s", async (_, act) => {
    const anna = await subscriber();
    const id = await newConversation();
    const notice = await rejected(anna, id);
    await act(id, anna);
    await retry(notice);
    await waitUntil(async () => (await laneOf(notice)) === null);
    expect(mailsTo(anna)).toHaveLength(1);
    expect((await noticesOf(id)).map(({ memberId }) => memberId)).not.toContain(anna.id);
  });

  anyTest("each member has their own switch, and its changes are in the audit log", async () => {
    const anna = await addMember(gateway, { permissions: READER });
    const ben = await subscriber();
    const state = async ({ token }: TestMember) => {
      const { body } = await gateway.graphql("{ agents { id handoffNotices } }", {}, { token });
      return body.data.agents.find(({ id }: { id: string }) => id === agentId).handoffNotices;
    };
    expect([await state(anna), await state(ben)]).toEqual([false, true]);
    for (const enabled of [true, true, false])
      expect((await setNotices(gateway, agentId, anna, enabled)).body.data.setHandoffNotices).toEqual({
        id: agentId,
        handoffNotices: enabled,
      });
    expect([await state(anna), await state(ben)]).toEqual([false, true]);
    const entries = await auditLog(gateway, { action: "handoff_notices_changed", actorId: anna.id });
    expect(entries.map(({ changes }: { changes: unknown }) => changes)).toEqual([
      [{ field: "handoffNotices", before: "on", after: "off" }],
      [{ field: "handoffNotices", before: "off", after: "on" }],
    ]);
    const viewer = await addMember(gateway);
    expect(codeOf(await setNotices(gateway, agentId, viewer))).toBe("forbidden");
  });

  testOnAny(engine)(
    "two processes that hand off, open and release at the same time send each notice once",
    async () => {
      const anna = await subscriber(WRITER);
      const ids = await Promise.all(Array.from({ length: 4 }, () => newConversation()));
      for (let round = 0; round < ROUNDS; round++) {
        await Promise.all(
          ids.flatMap((id) => [
            api().handOff(id),
            api(other).handOff(id),
            ...(round % 2 === 0 ? [open(id, anna), api(other).release(id)] : []),
            api(other).send(id, "I look after it"),
          ]),
        );
        await Promise.all(ids.map((id) => api().release(id)));
      }
      await Promise.all(ids.map((id) => open(id, anna)));
      await Promise.all(ids.flatMap((id) => [api().handOff(id), api(other).handOff(id)]));
      let notices: HandoffNotice[] = [];
      await waitUntil(async () => {
        notices = (await Promise.all(ids.map(noticesOf))).flat();
        return notices.every(({ sentAt }) => sentAt !== null);
      });
      expect(notices.map(({ conversationId }) => conversationId)).toEqual(ids);
      // Compares IDs, because e-mails from earlier rounds may still arrive.
      const messageIds = mailsTo(anna).map(({ email }) => email.messageId);
      expect(new Set(messageIds).size).toBe(messageIds.length);
      expect(messageIds).toEqual(expect.arrayContaining(notices.map(({ id }) => `<${id}@example.com>`)));
    },
  );
});

describeGateway({ engine: "any" }, (gateway) => {
  test("without a mail server, notices cannot be turned on", async () => {
    const agentId = await firstAgentId(gateway);
    const anna = await addMember(gateway, { permissions: READER });
    expect(codeOf(await setNotices(gateway, agentId, anna))).toBe("conflict");
    const { body } = await gateway.graphql("{ agents { handoffNotices } }", {}, { token: anna.token });
    expect(body.data.agents).toEqual([{ handoffNotices: null }]);
  });
});
