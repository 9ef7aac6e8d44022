import { operatorFor } from "../../src/auth/context";
import { leastUuidAt } from "../../src/common/uuid";
import { loadConfig } from "../../src/config";
import { Lanes } from "../../src/delivery/lanes";
import { NO_WORK_OBSERVER } from "../../src/delivery/observer";
import { Senders } from "../../src/delivery/senders";
import { createServices, laneWork } from "../../src/features";
import { AgentService } from "../../src/features/agents/agent.service";
import { CompiledConfigurations } from "../../src/features/configuration/compiled-configurations";
import { ConversationConnection } from "../../src/features/conversations/conversation.connection";
import {
  ConversationMessagesArgs,
  ConversationsArgs,
} from "../../src/features/conversations/conversation.inputs";
import { ConversationService } from "../../src/features/conversations/conversation.service";
import { ConversationChanges } from "../../src/features/conversations/conversation-changes";
import { DefaultConversations } from "../../src/features/conversations/default-conversations";
import { MessageQueue } from "../../src/features/conversations/message-queue";
import { resumeWait } from "../../src/features/conversations/queue-messages";
import { readQueues } from "../../src/features/conversations/read-queues";
import { readSurroundings } from "../../src/features/decisions/loop";
import { MAX_AUTOMATIC_ANSWERS } from "../../src/features/decisions/loop-gate";
import { AgentQueues } from "../../src/features/messages/agent-queues";
import { MessageConnection, MessagesArgs } from "../../src/features/messages/message.inputs";
import { MessageService } from "../../src/features/messages/message.service";
import type { Organization } from "../../src/features/organizations/organization.entity";
import { createLogger } from "../../src/logger";
import { HookRegistry } from "../../src/schema/hooks";
import { onEachEngine } from "../support/engines";
import { type LoggedDatabase, openLogged } from "../support/query-plans";

const ORGANIZATION = "01a1f000-0000-7000-8000-000000000001";
const AGENTS = ["01a1f000-0000-7000-8000-000000000002", "01a1f000-0000-7000-8000-000000000003"] as const;
const [AGENT] = AGENTS;
/** An agent of another organization, with most of the conversations. */
const OTHER = "01a1f000-0000-7000-8000-000000000005";
const MEMBER = "01a1f000-0000-7000-8000-000000000004";
const NOW = "2026-01-01T00:00:00.000Z";
const CONVERSATIONS = 2_000;
/** Number of messages in one conversation; the others have one each. */
const LONG = 6_000;
/** Number of conversations with a queued message, and of messages without a conversation. */
const QUEUED = 20;

onEachEngine((engine) => {
  let logged: LoggedDatabase;
  let lanes: Lanes;
  let service: ConversationService;
  const context = operatorFor({ id: ORGANIZATION, deactivatedAt: null } as Organization);
  const conversation = (i: number) => leastUuidAt(i + 1);
  const message = (i: number) => leastUuidAt(1_000_000 + i);

  beforeAll(async () => {
    logged = await openLogged(engine);
    const { database } = logged;
    lanes = new Lanes(database);
    const queues = new AgentQueues(database);
    const queue = new MessageQueue(
      database,
      lanes,
      queues,
      new DefaultConversations(new CompiledConfigurations()),
    );
    service = new ConversationService(
      database,
      queue,
      new AgentService(database, lanes, new HookRegistry()),
      queues,
      new CompiledConfigurations(),
    );
    await database.write(async (tx) => {
      const insert = async (table: string, columns: string, rows: readonly string[]) => {
        for (let from = 0; from < rows.length; from += 500)
          await tx.query(
            `insert into ${table} (${columns}) values ${rows.slice(from, from + 500).map((row) => `(${row})`)}`,
          );
      };
      const range = (length: number) => Array.from({ length }, (_, i) => i);
      await insert(
        "organization",
        "id, slug, name, created_at",
        [ORGANIZATION, OTHER].map((id) => `'${id}', '${id.slice(-1)}', 'O', '${NOW}'`),
      );
      await insert(
        "agent",
        "id, organization_id, slug, name, created_at",
        [...AGENTS, OTHER].map(
          (id) => `'${id}', '${id === OTHER ? OTHER : ORGANIZATION}', '${id.slice(-1)}', 'A', '${NOW}'`,
        ),
      );
      await insert(
        "line",
        "id, agent_id, name, kind, state, expire_after_seconds, when_uncertain, is_default, version, created_at",
        [...AGENTS, OTHER].map(
          (id) => `'${id}', '${id}', 'main', 'local', 'active', 60, 'retry', true, 1, '${NOW}'`,
        ),
      );
      const owner = (i: number) => AGENTS[i % 20] ?? OTHER;
      await insert(
        "contact",
        "id, agent_id, version, created_at, updated_at",
        range(CONVERSATIONS).map((i) => `'${conversation(i)}', '${owner(i)}', 1, '${NOW}', '${NOW}'`),
      );
      await insert(
        "contact_term",
        "contact_id, agent_id, term",
        range(CONVERSATIONS).map(
          (i) => `'${conversation(i)}', '${owner(i)}', '${i % 300 === 0 ? "rare" : "common"}'`,
        ),
      );
      await insert(
        "contact_address",
        "id, agent_id, contact_id, kind, address",
        range(CONVERSATIONS).map(
          (i) => `'${conversation(i)}', '${owner(i)}', '${conversation(i)}', 'local', '${i}'`,
        ),
      );
      await insert(
        "conversation",
        "id, agent_id, contact_id, address_id, line_id, state, handler, version, last_sequence, created_at, updated_at, assignee_id, waiting_since",
        range(CONVERSATIONS).map(
          (i) =>
            `'${conversation(i)}', '${owner(i)}', '${conversation(i)}', '${conversation(i)}', '${owner(i)}',
             '${i % 3 === 0 ? "open" : "closed"}', 'agent', 1, ${i === 0 ? LONG : 1}, '${NOW}', '${NOW}',
             ${i % 20 === 0 && i % 3 === 0 ? `'${MEMBER}'` : "NULL"}, ${i % 12 === 0 ? `'${NOW}'` : "NULL"}`,
        ),
      );
      const row = (i: number, at: number | undefined, sequence: number | undefined, isQueued: boolean) =>
        `'${message(i)}', '${owner(at ?? i)}', 'x', '${isQueued ? "queued" : "delivered"}', '${NOW}',
         ${at === undefined ? "NULL" : `'${conversation(at)}'`}, ${sequence ?? "NULL"}, 1, 'agent',
         ${at === undefined ? "NULL" : `'${conversation(at)}'`}, '${i < LONG && i % 2 === 0 ? "inbound" : "outbound"}'`;
      const columns =
        "id, agent_id, message, status, created_at, conversation_id, sequence, fence, author, answered_address_id, direction";
      await insert("message", columns, [
        ...range(LONG).map((i) => row(i, 0, i + 1, false)),
        ...range(CONVERSATIONS - 1).map((i) => row(LONG + i, i + 1, 1, i < QUEUED)),
        ...range(QUEUED).map((i) => row(LONG + CONVERSATIONS + i, undefined, undefined, true)),
      ]);
      await insert(
        "delivery_attempt",
        "message_id, number, started_at, outcome",
        range(LONG).map((i) => `'${message(i)}', 1, '${NOW}', 'accepted'`),
      );
      await insert("lane", "id, agent_id, kind, wake_at", [
        ...range(QUEUED).map((i) => `'${conversation(i + 1)}', '${owner(i + 1)}', 'conversation', '${NOW}'`),
        ...range(QUEUED).map(
          (i) => `'${message(LONG + CONVERSATIONS + i)}', '${AGENT}', 'message', '${NOW}'`,
        ),
        // PostgreSQL 15 reads a smaller table as a whole to find a batch of lanes.
        ...range(10_000).map(
          (i) => `'${message(100_000 + i)}', '${AGENTS[1]}', 'message', '2099-01-01T00:00:00.000Z'`,
        ),
      ]);
      await tx.query("ANALYZE");
    });
  });
  afterAll(() => logged.close());

  const expectIndexes: LoggedDatabase["expectIndexes"] = (...args) => logged.expectIndexes(...args);

  const page = (Connection: typeof ConversationConnection | typeof MessageConnection, id: string) => {
    const place = { conversationId: conversation(0), sequence: LONG - 49 };
    const row = { id, updatedAt: NOW, waitingSince: NOW, ...place } as never;
    return new Connection([row], { limit: 20, after: undefined }).pageInfo.endCursor;
  };

  test.each<[string, Partial<ConversationsArgs>]>([
    ["all", {}],
    ["in a state", { state: "open" as never }],
    ["of a contact", { contactId: leastUuidAt(1) }],
    ["of a member by their last activity", { assigneeId: MEMBER, order: "last_activity_first" as never }],
    ["by their last activity", { order: "last_activity_first" as never }],
    ["longest waiting first", { order: "longest_waiting_first" as never }],
    ["that need a reply", { needsReply: true }],
    ["of all agents", { agentId: null }],
    ["of all agents by their last activity", { agentId: null, order: "last_activity_first" as never }],
    ["of all agents, longest waiting first", { agentId: null, order: "longest_waiting_first" as never }],
    ["of all agents that need a reply", { agentId: null, needsReply: true }],
    ["in a state by their last activity", { state: "open" as never, order: "last_activity_first" as never }],
  ])("a page of conversations, %s, is read from an index", async (_, filter) => {
    for (const after of [null, page(ConversationConnection, conversation(0))]) {
      const args = Object.assign(new ConversationsArgs(), { after, agentId: AGENT }, filter);
      const counted = async () => (await service.list(context, args)).totalCount();
      await expectIndexes(counted, { reads: /FROM "conversation"/ });
    }
  });

  test.each<[string, Partial<ConversationsArgs>]>([
    ["that a search finds", { search: "rare", state: "open" as never }],
    ["of a contact", { contactId: leastUuidAt(1) }],
    ["of a member", { assigneeId: MEMBER }],
  ])(
    "a page of few conversations, %s, does not read all conversations by their last activity",
    async (_, filter) => {
      for (const agentId of [null, AGENT]) {
        const order = "last_activity_first" as never;
        logged.statements.length = 0;
        const { nodes } = await service.list(
          context,
          Object.assign(new ConversationsArgs(), { agentId, order }, filter),
        );
        expect(nodes).not.toEqual([]);
        for (const statement of logged.statements.filter(({ query }) => /FROM "conversation"/.test(query)))
          expect(await logged.planOf(statement)).not.toContain("conversation_activity");
      }
    },
  );

  test("the last messages of a page of conversations are read from an index", async () => {
    const last = () => Promise.all([0, 1, 2].map((i) => service.lastMessageOf(conversation(i))));
    await expectIndexes(last, { reads: /FROM "message"/ });
    expect((await last()).map((each) => each?.sequence)).toEqual([LONG, 1, 1]);
  });

  test.each<[string, Partial<MessagesArgs>]>([
    ["of a contact", { contactId: leastUuidAt(1) }],
    ["that a search finds", { search: "rare" }],
    ["that a search finds, in a status", { search: "rar", statuses: ["delivered"] as never }],
  ])("a page of messages, %s, is read by their conversations", async (_, filter) => {
    const messages = new MessageService(logged.database, lanes);
    for (const after of [null, page(MessageConnection, message(LONG - 50))]) {
      logged.statements.length = 0;
      const args = Object.assign(
        new MessagesArgs(),
        { agentId: AGENT, after, order: "newest_first" },
        filter,
      );
      const list = await messages.list(context, args);
      expect([list.nodes.length, await list.totalCount()]).not.toContain(0);
      for (const statement of logged.statements.filter(({ query }) => /FROM "message"/.test(query))) {
        const plan = await logged.planOf(statement);
        expect(plan).toContain("message_in_conversation");
        expect(plan).not.toMatch(/seq scan on "?message|SCAN message/i);
      }
    }
  });

  test("a page of the messages of a long conversation is read from an index", async () => {
    for (const after of [null, page(MessageConnection, message(LONG - 50))])
      await expectIndexes(
        () => service.messages(context, { ...new ConversationMessagesArgs(), id: conversation(0), after }),
        { reads: /FROM "message"/ },
      );
  });

  test("the automatic answers to an address are counted by an index, up to the limit", async () => {
    const count = (at: number) =>
      logged.database.write((tx) =>
        readSurroundings(tx, { contactId: null, addressId: conversation(at), reachedAt: null, now: NOW }),
      );
    const answers = async (at: number) => (await count(at)).answers;
    await expectIndexes(() => count(0), { reads: /answered_address_id/ });
    const counting = logged.statements.find(({ query }) => /answered_address_id/.test(query));
    expect(await logged.planOf(counting)).toContain("message_answers");
    expect([await answers(0), await answers(1)]).toEqual([MAX_AUTOMATIC_ANSWERS, 1]);
  });

  test("a change reads the queue of its conversation, not its history", async () => {
    const changes = new ConversationChanges(logged.database, lanes, new HookRegistry());
    await expectIndexes(() => changes.handOff(context, { id: conversation(0) }), { reads: /FROM "message"/ });
    const queue = logged.statements.find(({ query }) => /FROM "message"/.test(query));
    expect(await logged.planOf(queue)).not.toContain("message_in_conversation");
  });

  test("a resumed wait reads the messages since its start, not its conversation's history", async () => {
    const place = { id: conversation(0), state: "open", handler: "human" };
    await expectIndexes(
      () => logged.database.write((tx) => resumeWait(tx, place as never, [{ waitedSince: NOW }] as never)),
      { reads: /waited_since/ },
    );
    const plan = await logged.planOf(logged.statements.find(({ query }) => /waited_since/.test(query)));
    expect(plan).toMatch(/message_in_conversation (\(.*sequence>|.*\n.*sequence > )/);
    expect(plan).toContain("message_unplaced");
  });

  test("the first message of each queue behind long ones is read by the index of queues", async () => {
    const { database } = logged;
    const ids = Array.from({ length: QUEUED + 1 }, (_, i) => conversation(QUEUED - i));
    const become = (status: string) =>
      database.write((tx) =>
        tx.query("update message set status = $1 where conversation_id = $2 and sequence <= 600", [
          status,
          conversation(0),
        ]),
      );
    await become("queued");
    logged.statements.length = 0;
    const { queues, next } = await database.write((tx) => readQueues(tx, ids));
    expect([queues.size, [...(next ?? [])].map(([id]) => id)]).toEqual([QUEUED + 1, [conversation(0)]]);
    const plan = await logged.planOf(logged.statements.find(({ query }) => /union all/.test(query)));
    expect(plan).toContain("message_queue");
    expect(plan).not.toMatch(/message_in_conversation|seq scan on "?message|SCAN message/i);
    await become("delivered");
  });

  test("due work is found and done through indexes, however much waits", async () => {
    const { database } = logged;
    const work = laneWork(createServices({ database, config: loadConfig({}), log: createLogger("silent") }));
    const around = { senders: new Senders(8).offer((laneId) => laneId), observer: NO_WORK_OBSERVER };
    await expectIndexes(
      () =>
        database.write(async (tx) => {
          const due = await lanes.lockDue(tx, { max: 100 });
          expect(due).toHaveLength(2 * QUEUED);
          for (const kind of new Set(due.map((lane) => lane.kind))) {
            const ids = due.filter((lane) => lane.kind === kind).map(({ id }) => id);
            expect(ids).toHaveLength(QUEUED);
            expect((await work(kind).start(tx, ids, around)).next.size).toBe(0);
          }
          await lanes.end(
            tx,
            due.map(({ id }) => id),
          );
        }),
      { reads: /message_queue|from message/ },
    );
    const queues = logged.statements.find(({ query }) => /join conversation on/.test(query));
    expect(await logged.planOf(queues)).toContain("message_queue");
  });
});
