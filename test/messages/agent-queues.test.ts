import { v7 as uuid } from "uuid";
import { BACKGROUND } from "../../src/database/limits";
import { AgentQueues, MAX_OF_AGENT } from "../../src/features/messages/agent-queues";
import { HeldReason, MessageStatus } from "../../src/features/messages/message.enums";
import { closedAfterEach } from "../support/closing";
import { addConversation, conversationClient } from "../support/conversations";
import { addAgent, codeOf } from "../support/people";
import { openLogged } from "../support/query-plans";
import { slowTest } from "../support/slow-test";
import { describeGateway } from "../support/suite";

describeGateway({ engine: "any" }, (gateway, engine) => {
  const keep = closedAfterEach();
  const { queued, delivered } = MessageStatus;

  /** Adds messages for an agent; each kind is newer than the one before. */
  const addMessages = (
    agentId: string,
    ...kinds: { count: number; status?: MessageStatus; heldReason?: HeldReason }[]
  ) =>
    gateway.services.database.write(
      async (tx) => {
        for (const { count, status = queued, heldReason } of kinds) {
          await tx.query(
            `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
           INSERT INTO message (id, agent_id, message, status, created_at, held_reason)
           SELECT '${uuid().slice(0, 24)}' || substr(cast(1000000000000 + i AS text), 2), '${agentId}', 'x',
             '${status}', '2026-01-02T03:04:05.000Z', ${heldReason ? `'${heldReason}'` : "NULL"} FROM n`,
          );
          // Waits for the next millisecond, because the IDs contain the time.
          const began = Date.now();
          while (Date.now() === began);
        }
      },
      { limits: BACKGROUND },
    );
  const taken = async (queues: AgentQueues, agentId: string, times: number) => {
    const outcomes: boolean[] = [];
    for (let i = 0; i < times; i++) outcomes.push(await queues.take(agentId));
    return outcomes.filter(Boolean).length;
  };

  test("only queued messages that were not imported take room, and each agent has its own room", async () => {
    const [agent, other] = [await addAgent(gateway), await addAgent(gateway)];
    await addMessages(agent.id, { count: 50, heldReason: HeldReason.imported }, { count: 7 });
    await addMessages(
      agent.id,
      { count: 30, status: delivered },
      { count: 1, heldReason: HeldReason.no_route },
    );
    const queues = new AgentQueues(gateway.services.database, 10);
    expect(await taken(queues, agent.id, 20)).toBe(2);
    expect(await taken(queues, other.id, 20)).toBe(10);
  });

  test("concurrent requests share one count, and no more of them succeed than there is room for", async () => {
    const { id } = await addAgent(gateway);
    await addMessages(id, { count: 4 });
    const queues = new AgentQueues(gateway.services.database, 10);
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => queues.take(id)));
    expect(outcomes.filter(Boolean)).toHaveLength(6);
  });

  slowTest("freed room is found again", async () => {
    const { id } = await addAgent(gateway);
    await addMessages(id, { count: 10 });
    const queues = new AgentQueues(gateway.services.database, 10);
    expect(await queues.take(id)).toBe(false);
    await gateway.rows.execute("UPDATE message SET status = 'delivered' WHERE agent_id = $1", [id]);
    while (!(await queues.take(id)));
  });

  slowTest(
    "a full queue rejects new messages on every path, and still answers a repeat",
    async () => {
      const { id: agentId, token } = await addAgent(gateway);
      const { id } = await addConversation(gateway, { agentId });
      const api = conversationClient(gateway, token);
      const { contactId } = (await api.find(id)).body.data.conversation;
      const once = { token, headers: { "idempotency-key": "before" }, body: { message: "Before" } };
      const first = await gateway.rest("POST", "/messages", once);
      const sent = await api.send(id, "Before", { idempotencyKey: "before" });
      await addMessages(agentId, { count: MAX_OF_AGENT.queued });
      // The previously counted room is used for up to a second.
      let reply = await gateway.rest("POST", "/messages", { token, body: { message: "Full" } });
      while (reply.status === 201)
        reply = await gateway.rest("POST", "/messages", { token, body: { message: "Full" } });
      expect([reply.status, reply.body.code, reply.headers.get("retry-after")]).toEqual([
        429,
        "queue_full",
        "5",
      ]);
      expect(reply.body.message).toContain("100,000");
      const keyed = { token, headers: { "idempotency-key": "after" }, body: { message: "Full" } };
      expect((await gateway.rest("POST", "/messages", keyed)).body.code).toBe("queue_full");
      const mutation = 'mutation { sendMessage(input: { text: "Full" }) { id } }';
      for (const rejected of [
        await gateway.graphql(mutation, {}, { token }),
        await api.send(id, "Full"),
        await api.send(id, "Full", { idempotencyKey: "after" }),
        await api.open({ contact: { id: contactId }, message: "Full" }),
      ])
        expect([rejected.status, codeOf(rejected)]).toEqual([429, "queue_full"]);
      expect((await api.open({ contact: { id: contactId } })).status).toBe(200);
      expect((await gateway.rest("POST", "/messages", once)).body).toEqual(first.body);
      expect((await api.send(id, "Before", { idempotencyKey: "before" })).body).toEqual(sent.body);
    },
    60_000,
  );

  test("the count reads only indexes", async () => {
    const logged = await keep(openLogged(engine));
    await new AgentQueues(logged.database).take(uuid());
    const count = logged.statements.find(({ query }) => query.includes("count(*) AS queued"));
    const plan = await logged.planOf(count);
    expect(plan).toContain("message_imported");
    expect(plan).toMatch(/COVERING INDEX IDX_\w+ \(agent_id=\? AND status=\? AND id>\?\)|Index.* Scan/);
    expect(plan).not.toMatch(/SCAN message|Seq Scan/);
  });
});

test("counts take up to a fiftieth of the time, and are used for up to 30 seconds, or 5 after a rejection", async () => {
  jest.useFakeTimers();
  try {
    const counts = async (tookMs: number, laterMs: number, { takes = 1 } = {}) => {
      let counted = 0;
      const read = async () => {
        counted += 1;
        jest.advanceTimersByTime(tookMs);
        return [{ queued: 3 }];
      };
      const queues = new AgentQueues({ read } as never, 10);
      for (let i = 0; i < takes; i++) await queues.take("agent");
      jest.advanceTimersByTime(laterMs);
      await queues.take("agent");
      return counted;
    };
    expect(await counts(1, 999)).toBe(1);
    expect(await counts(1, 1_001)).toBe(2);
    expect(await counts(60, 2_999)).toBe(1);
    expect(await counts(60, 3_001)).toBe(2);
    expect(await counts(500, 24_999)).toBe(1);
    expect(await counts(500, 25_001)).toBe(2);
    expect(await counts(2_500, 29_999)).toBe(1);
    expect(await counts(2_500, 30_001)).toBe(2);
    expect(await counts(2_500, 5_001, { takes: 7 })).toBe(1);
    expect(await counts(2_500, 4_999, { takes: 8 })).toBe(1);
    expect(await counts(2_500, 5_001, { takes: 8 })).toBe(2);
  } finally {
    jest.useRealTimers();
  }
});
