import { In } from "typeorm";
import { operatorFor } from "../../src/auth/context";
import { timestamp } from "../../src/common/time";
import { leastUuidAt } from "../../src/common/uuid";
import { loadConfig } from "../../src/config";
import type { Tx } from "../../src/database/unit-of-work";
import { AttemptOutcome, type SendResult } from "../../src/delivery/driver";
import type { DueWork, FinishedSend } from "../../src/delivery/lane-work";
import type { SomeLanes } from "../../src/delivery/lanes";
import { NO_WORK_OBSERVER } from "../../src/delivery/observer";
import { Senders } from "../../src/delivery/senders";
import { createServices, laneWork, type Services } from "../../src/features";
import { insertVersion } from "../../src/features/configuration/versions";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { UntouchedContacts } from "../../src/features/contacts/erase-untouched";
import {
  MoveConversationInput,
  PendingMessages,
  SendToConversationInput,
} from "../../src/features/conversations/conversation.inputs";
import { deleteEndedMessages } from "../../src/features/conversations/delete-ended-messages";
import { type InboundLine, placeArrivals } from "../../src/features/inbound/arrivals";
import { Line } from "../../src/features/lines/line.entity";
import { DeliveryAttempt } from "../../src/features/messages/delivery-attempt.entity";
import { countOnLine } from "../../src/features/messages/line-messages";
import { Message } from "../../src/features/messages/message.entity";
import { MessageStatus } from "../../src/features/messages/message.enums";
import { CONVERSATION_LANE, MESSAGE_LANE } from "../../src/features/messages/message-lanes";
import { countRejections } from "../../src/features/messages/rejections";
import type { Organization } from "../../src/features/organizations/organization.entity";
import { seedConversations } from "../../src/features/samples/seed-conversations";
import { purge } from "../../src/housekeeping";
import { createLogger } from "../../src/logger";
import { onEachEngine } from "../support/engines";
import { type LoggedDatabase, openLogged } from "../support/query-plans";

const ORGANIZATION = "01a1f000-0000-7000-8000-000000000001";
const AGENT = "01a1f000-0000-7000-8000-000000000002";
const [LOCAL, OTHER, WEBHOOK] = [
  "01a1f000-0000-7000-8000-000000000005",
  "01a1f000-0000-7000-8000-000000000003",
  "01a1f000-0000-7000-8000-000000000004",
];
const OLD = "2025-01-01T00:00:00.000Z";
const SENDERS = 8;

onEachEngine((engine) => {
  // SQLite plans queries without statistics, so more rows would make no difference.
  const conversations = engine.name === "SQLite" ? 200 : 2_000;
  let logged: LoggedDatabase;
  let services: Services;
  const context = operatorFor({ id: ORGANIZATION, deactivatedAt: null } as Organization);
  beforeAll(async () => {
    logged = await openLogged(engine);
    const { database } = logged;
    services = createServices({ database, config: loadConfig({}), log: createLogger("silent") });
    await database.write(async (tx) => {
      await tx.query(
        `insert into organization (id, slug, name, created_at) values ('${ORGANIZATION}', 'o', 'O', '${OLD}')`,
      );
      await tx.query(
        `insert into agent (id, organization_id, slug, name, created_at)
         values ('${AGENT}', '${ORGANIZATION}', 'a', 'A', '${OLD}')`,
      );
      const rules = [{ id: "failed", on: "message.failed" }];
      const given = { version: 1, document: { format: 1 as const, rules }, note: null, restoredFrom: null };
      await insertVersion(tx, services.lanes, context, AGENT, given);
      const lines = [
        [LOCAL, "main", "local", "{}", true, "NULL"],
        [OTHER, "other", "local", "{}", false, "NULL"],
        [WEBHOOK, "hook", "webhook", '{"url":"https://example.com/","addressKind":"phone"}', false, 60_000],
      ];
      for (const [id, name, kind, settings, isDefault, rate] of lines)
        await tx.query(
          `insert into line (id, agent_id, name, kind, settings, state, expire_after_seconds, when_uncertain,
             is_default, version, created_at, rate_per_minute)
           values ('${id}', '${AGENT}', '${name}', '${kind}', '${settings}', 'active', 3600, 'retry', ${isDefault}, 1, '${OLD}', ${rate})`,
        );
    });
    const place = { agentId: AGENT };
    const seeded = {
      contacts: conversations,
      conversations,
      messages: 3 * conversations,
      queued: 40,
    };
    await seedConversations(services, place, seeded);
    await seedConversations(services, { ...place, line: "hook" }, seeded);
    await seedConversations(services, place, { contacts: 0, conversations: 0, messages: 0, queued: 20 });
    await sleepersOf(3 * conversations);
    // Like autovacuum.
    if (engine.name === "PostgreSQL") await database.write((tx) => tx.query("ANALYZE"));
  });
  afterAll(() => logged.close());

  /** Adds lanes that wait for a future time, and equally many that wait for a sender. */
  async function sleepersOf(count: number): Promise<void> {
    await logged.database.write(async (tx) => {
      for (const [i, needsSender] of [false, true].entries())
        await tx.query(
          `insert into lane (id, agent_id, kind, wake_at, needs_sender)
           with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})
           select '01a1f00${i}-0000-7000-9000-' || substr(cast(1000000000000 + i as text), 2), '${AGENT}', 'message',
             '2099-01-01T00:00:00.000Z', ${needsSender} from n`,
        );
    });
  }
  /** Runs work in a transaction that is rolled back, and expects it to use indexes. */
  const expectIndexes = (reads: RegExp, work: (tx: Tx) => Promise<unknown>) => {
    const undo = new Error("undone");
    return logged.expectIndexes(
      () =>
        logged.database
          .write(async (tx) => {
            await work(tx);
            throw undo;
          })
          .catch((error) => {
            if (error !== undo) throw error;
          }),
      { reads },
    );
  };
  const planOf = (text: RegExp) => logged.planOf(logged.statements.find(({ query }) => text.test(query)));

  /** Starts the due work of a kind, like the deliverer. */
  async function start(tx: Tx, kind: string, waiting?: SomeLanes): Promise<DueWork> {
    const due = (await services.lanes.lockDue(tx, { max: 100, waiting })).filter(
      (lane) => lane.kind === kind,
    );
    const ids = due.map(({ id }) => id);
    const context = {
      senders: new Senders(SENDERS).offer((laneId) => laneId),
      observer: NO_WORK_OBSERVER,
    };
    const work = await laneWork(services)(kind).start(tx, ids, context);
    await services.lanes.awaitSender(tx, work.waiting);
    return work;
  }
  /**
   * Starts sending on the webhook line.
   * @returns the sends as if all of them had this result
   */
  async function send(tx: Tx, resultOf: (i: number) => SendResult): Promise<FinishedSend[]> {
    const { dispatches } = await start(tx, CONVERSATION_LANE);
    expect(dispatches).toHaveLength(SENDERS);
    await services.lanes.lease(
      tx,
      dispatches.map(({ laneId }) => laneId),
      "lease",
    );
    return dispatches.map(({ laneId, channelId, channelKind, attempt, message }, i) => ({
      ...{ laneId, channelId, channelKind, attempt, messageId: message.id, isHeld: true },
      result: resultOf(i),
    }));
  }
  const accepted = (i: number): SendResult => ({
    outcome: AttemptOutcome.accepted,
    providerId: `provider-${i}`,
    isDelivered: false,
  });

  test.each([
    ["that may need no sender", undefined],
    ["that wait for a sender", { except: [] }],
    ["that wait for a sender of another line", { except: [{ channels: [leastUuidAt(1)] }] }],
    ["that wait for a sender of another organization", { except: [{ owners: [leastUuidAt(1)] }] }],
  ])("due lanes %s are found by an index", async (_, waiting) => {
    await expectIndexes(/wake_at <=/, async (tx) => {
      await start(tx, CONVERSATION_LANE);
      const due = await services.lanes.lockDue(tx, { max: 5, waiting }, { max: 1 });
      expect(due).toHaveLength(waiting === undefined ? 6 : 5 + 1);
    });
    const plan = await planOf(/wake_at <=/);
    expect(plan).toContain(logged.source.namingStrategy.indexName("lane", ["needs_sender", "wake_at"]));
  });

  test("the next due work is found by the same index, without reading work that is due later", async () => {
    await logged.expectIndexes(() => services.lanes.nextDue({ except: [] }), { reads: /AS waiting/ });
    const plan = await planOf(/AS waiting/);
    expect(
      plan.split(logged.source.namingStrategy.indexName("lane", ["needs_sender", "wake_at"])),
    ).toHaveLength(3);
    expect(plan).not.toMatch(/sort|temp b-tree/i);
  });

  test.each([CONVERSATION_LANE, MESSAGE_LANE])("a lane's work (%s) starts with indexes", async (kind) => {
    await expectIndexes(/update message/, async (tx) => {
      const { dispatches, waiting } = await start(tx, kind);
      const isStandalone = kind === MESSAGE_LANE;
      expect([dispatches.length, waiting.length]).toEqual(isStandalone ? [0, 0] : [SENDERS, 40 - SENDERS]);
      await services.lanes.end(tx, ["none"]);
      await services.lanes.sleep(tx, [{ laneId: "none", until: timestamp() }]);
    });
  });

  test("results of sends are stored with indexes", async () => {
    await expectIndexes(/update delivery_attempt/, async (tx) => {
      const ended = await send(tx, accepted);
      const sends = ended.map(({ laneId }) => ({ laneId, lease: "lease" }));
      expect((await services.lanes.lockLeased(tx, sends)).size).toBe(SENDERS);
      await laneWork(services)(CONVERSATION_LANE).finish(tx, ended, NO_WORK_OBSERVER);
      expect(await tx.countBy(Message, { status: MessageStatus.sent, providerId: "provider-3" })).toBe(1);
    });
    const plan = await planOf(/"provider_id" IN/);
    // A line may have sent millions of messages, so the search must not use the line alone.
    expect(plan).toMatch(engine.name === "SQLite" ? /provider_id=\?/ : /Index Cond.*provider_id/);
  });

  test("failed and rejected sends are stored with indexes", async () => {
    const { retryable, permanent } = AttemptOutcome;
    await expectIndexes(/line_traffic/, async (tx) => {
      const ended = await send(tx, (i) => ({
        outcome: i % 2 === 0 ? retryable : permanent,
        code: "http_503",
        detail: "The receiver responded with 503.",
      }));
      await laneWork(services)(CONVERSATION_LANE).finish(tx, ended, NO_WORK_OBSERVER);
      await countRejections(tx, ended);
      const stored = { id: In(ended.map(({ messageId }) => messageId)), status: MessageStatus.queued };
      expect(await tx.countBy(Message, stored)).toBe(SENDERS / 2);
    });
  });

  test("messages that a killed process was sending are found by indexes", async () => {
    await expectIndexes(/with lost/, async (tx) => {
      const ended = await send(tx, accepted);
      await services.lanes.sleep(
        tx,
        ended.map(({ laneId }) => ({ laneId, until: OLD })),
      );
      const { dispatches } = await start(tx, CONVERSATION_LANE, { except: [] });
      expect(dispatches.map(({ attempt }) => attempt)).toContain(2);
    });
  });

  test("messages that caps count are found by an index, and so are messages that they hold back", async () => {
    const caps = [{ max: 1, within: "P90D" }];
    const given = {
      version: 2,
      document: { format: 1 as const, policy: { caps } },
      note: null,
      restoredFrom: null,
    };
    await logged.rows.execute(
      `update message set author = 'agent', expires_at = '2099-01-01T00:00:00.000Z',
           capped_contact_id = (select contact_id from conversation where conversation.id = message.conversation_id)
         where conversation_id is not null`,
    );
    await expectIndexes(/select capped_contact_id/, async (tx) => {
      await insertVersion(tx, services.lanes, context, AGENT, given);
      await start(tx, CONVERSATION_LANE);
      const held = { agentId: AGENT, status: MessageStatus.scheduled, scheduledBy: "policy.caps[0]" };
      expect(await tx.countBy(Message, held)).toBeGreaterThan(0);
    });
    const plan = await planOf(/select capped_contact_id/);
    expect(plan).toContain("message_capped");
    expect(plan).toMatch(engine.name === "SQLite" ? /capped_contact_id=\?/ : /Index Cond.*capped_contact_id/);
  });

  test("a receipt finds its message by an index, by either ID", async () => {
    const message = await logged.rows.findOneByOrFail(Message, {
      lineId: WEBHOOK,
      status: MessageStatus.sent,
    });
    const { id, providerId } = message;
    for (const reference of [{ id }, { providerId: providerId as string }]) {
      await logged.expectIndexes(
        () =>
          services.receipts.apply({
            lineId: WEBHOOK as string,
            message: reference,
            status: MessageStatus.delivered,
          }),
        { reads: /"message"/ },
      );
    }
  });

  test("an e-mail finds the messages that it names by indexes, by either ID", async () => {
    const [{ id, providerId, address }] = await logged.rows.query(
      `select message.id, message.provider_id as "providerId", contact_address.address from message
           join conversation on conversation.id = message.conversation_id
           join contact_address on contact_address.id = conversation.address_id
         where message.line_id = '${WEBHOOK}' and message.provider_id is not null limit 1`,
    );
    const found = await logged.database.read((reader) =>
      reader.findOneOrFail(Line, {
        where: { id: WEBHOOK as string },
        relations: { agent: { organization: true } },
      }),
    );
    const inbound = {
      ...{ providerId: "new", from: address, name: null, text: "Hello", sentAt: timestamp(), omitted: null },
      isAutomatic: false,
      mail: { subject: null, quoted: null, thread: `<${providerId}> <${id}@example.com>` },
    };
    const arrival = { line: found as InboundLine, from: { kind: AddressKind.phone, address }, inbound };
    await expectIndexes(/AS "contactId"/, (tx) => placeArrivals(tx, [arrival], services.consents));
    const plan = await planOf(/AS "contactId"/);
    expect(plan).toMatch(engine.name === "SQLite" ? /provider_id=\?/ : /Index Cond.*provider_id/);
  });

  test("a new message reads only its agent's last message, however many there are", async () => {
    const [conversation] = await logged.rows.query(
      `select id from conversation where state = 'open' and line_id = '${LOCAL}'`,
    );
    const args = Object.assign(new SendToConversationInput(), { id: conversation.id, text: "Hello" });
    await logged.expectIndexes(() => services.conversations.send(context, args), { reads: /with writing/ });
    const plan = await planOf(/with writing/);
    expect(plan).toContain(logged.source.namingStrategy.indexName("message", ["agent_id", "id"]));
    expect(plan).toMatch(engine.name === "SQLite" ? /SEARCH message/ : /Limit/);
  });

  test("a move reads only the queue of its conversation", async () => {
    const [conversation] = await logged.rows.query(
      `select conversation.id from conversation join message on message.conversation_id = conversation.id
         where status = 'queued' and conversation.line_id = '${LOCAL}'`,
    );
    const args = { id: conversation.id, line: { name: "other" }, pending: PendingMessages.cancel };
    await logged.expectIndexes(
      () => services.conversationChanges.move(context, Object.assign(new MoveConversationInput(), args)),
      { reads: /FROM "message"/ },
    );
  });

  test("old attempts and no others are found and deleted by an index", async () => {
    const attempts = () => logged.rows.count(DeliveryAttempt);
    const before = await attempts();
    await logged.rows.execute(
      `update delivery_attempt set started_at = '${OLD}'
         where message_id in (select id from message where sequence = 1 and line_id = '${LOCAL}')`,
    );
    const old = await logged.rows.countBy(DeliveryAttempt, { startedAt: OLD });
    expect(old).toBeGreaterThan(conversations / 2);
    await logged.expectIndexes(() => purge(logged.database, { RETENTION_ATTEMPTS_DAYS: 90 }), {
      reads: /delete from delivery_attempt/,
    });
    expect(await attempts()).toBe(before - old);
    const plan = await planOf(/delete from delivery_attempt/);
    expect(plan).toContain(logged.source.namingStrategy.indexName("delivery_attempt", ["started_at"]));
  });

  test("finished messages are found by the primary key, and their conversations by indexes", async () => {
    const retention = { RETENTION_MESSAGES_DAYS: 20_000 };
    await logged.expectIndexes(() => deleteEndedMessages(logged.database, services.hooks, { retention }), {
      reads: /as "isEnded"/,
    });
  });

  test("untouched contacts and their data are found and erased by indexes", async () => {
    const [id, address] = [leastUuidAt(1), leastUuidAt(2)];
    const early = "1970-01-01T00:00:00.000Z";
    await logged.database.write(async (tx) => {
      await tx.query(
        `insert into contact (id, agent_id, version, created_at, updated_at, touched_at)
         values ('${id}', '${AGENT}', 1, '${early}', '${early}', '${early}')`,
      );
      await tx.query(
        `insert into contact_address (id, agent_id, contact_id, kind, address)
         values ('${address}', '${AGENT}', '${id}', 'local', 'early')`,
      );
      await tx.query(
        `insert into conversation (id, agent_id, contact_id, address_id, line_id, state, handler, version, last_sequence,
           created_at, updated_at)
         values ('${id}', '${AGENT}', '${id}', '${address}', '${LOCAL}', 'closed', 'agent', 1, 1, '${early}', '${early}')`,
      );
    });
    const retention = { RETENTION_CONTACTS_DAYS: 20_000 };
    const contacts = new UntouchedContacts(logged.database, services.erasures, services.hooks, { retention });
    await logged.expectIndexes(() => contacts.erase(new AbortController().signal), {
      reads: /select id, updated_at as at from contact/,
    });
    const plan = await planOf(/select id, touched_at/);
    expect(plan).toContain("contact_touched");
    expect(plan).not.toMatch(/sort|temp b-tree/i);
    const [{ erased }] = await logged.rows.query("select erased_at as erased from contact where id = $1", [
      id,
    ]);
    expect(erased).not.toBeNull();
  });

  test("what needs attention is found by indexes, and so are the failed messages of a line", async () => {
    await logged.rows.execute("update line set state = 'paused' where id = $1", [OTHER]);
    await logged.expectIndexes(() => services.attention.list(context), { reads: /AS queued/ });
    const since = new Date();
    await logged.expectIndexes(
      () =>
        logged.database.report(ORGANIZATION, (reader) =>
          countOnLine(reader, { id: LOCAL, agentId: AGENT }, MessageStatus.failed, since),
        ),
      { reads: /AS counted/ },
    );
  });
});
