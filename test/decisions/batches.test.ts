import { v7 as uuid } from "uuid";
import type { RequestContext } from "../../src/auth/context";
import { insertAll } from "../../src/database/insert-all";
import { ContactTag } from "../../src/features/contacts/contact-tag.entity";
import { Conversation } from "../../src/features/conversations/conversation.entity";
import { MAX_QUEUED } from "../../src/features/conversations/conversation.limits";
import { Decision } from "../../src/features/decisions/decision.entity";
import type { DecideInput } from "../../src/features/decisions/decision.inputs";
import { Event } from "../../src/features/events/event.entity";
import { Line, LineState } from "../../src/features/lines/line.entity";
import { Message } from "../../src/features/messages/message.entity";
import { Timer } from "../../src/features/timers/timer.entity";
import { comparable, withoutOvertaking } from "../support/batches";
import { addContact } from "../support/contacts";
import { decisionClient, publish } from "../support/decisions";
import { mint, operator, startGateway } from "../support/gateway";
import { addLine } from "../support/lines";
import { numbers } from "../support/numbers";
import { firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";

const SEND = { send: "note" };

const DOCUMENT = {
  situations: { note: { text: "string" }, number: { total: "int" } },
  templates: {
    note: "{{ contact.name }} {{ contact.tags | join: ',' }} {{ situation.data.text }}",
    plain: "plain",
  },
  rules: [
    {
      id: "new",
      on: "note",
      when: ['!("known" in contact.tags)'],
      do: [SEND, { addTags: ["known"] }],
      continue: true,
    },
    {
      id: "once",
      on: "note",
      when: ['situation.data.text == "once"'],
      do: [SEND],
      once: { per: "contact", within: "P1D" },
    },
    { id: "move", on: "note", when: ['situation.data.text == "move"'], do: [SEND, { move: "second" }] },
    { id: "over", on: "note", when: ['situation.data.text == "over"'], do: [SEND, { handoff: "asked" }] },
    { id: "close", on: "note", when: ['situation.data.text == "close"'], do: [SEND, { close: true }] },
    {
      id: "lines",
      on: "note",
      when: ['situation.data.text == "lines"'],
      do: [{ send: "plain", line: "second" }, SEND],
    },
    { id: "quiet", on: "note", when: ['situation.data.text == "quiet"'], do: [] },
    { id: "number", on: "number", do: [{ send: "plain" }, { removeTags: ["known"] }] },
  ],
  otherwise: [{ send: "plain" }],
};

/** Rules for situations without a contact, whose counts and timers belong to the agent. */
const SHARED = {
  situations: { alert: { order: "string" }, wait: { key: "string" } },
  templates: { plain: "plain" },
  rules: [
    {
      id: "alert",
      on: "alert",
      do: [{ send: "plain" }],
      once: { per: "situation.data.order", within: "P1D" },
    },
    {
      id: "wait",
      on: "wait",
      do: [
        {
          later: { situation: "wait", after: "P1D", key: "{{ situation.data.key }}", data: { key: "next" } },
        },
      ],
    },
  ],
};

const UUID = /^[0-9a-f-]{36}$/;

const KINDS = [
  ...["plain", "once", "move", "over", "close", "lines", "quiet", "invalid", "number"],
  ...["unknown", "nobody", "repeat"],
];
const CONTACTS = 6;
const HANDED = 120;
const BATCH = 40;

type Input = Omit<DecideInput, "agentId" | "dryRun">;

describeGateway((gateway, engine) => {
  const database = () => gateway.services.database;

  /** Adds an agent with contacts, and returns a function that submits situations with its key. */
  async function newAgent(slug: string) {
    const agent = { slug, name: "Agent" };
    const { id: agentId } = await gateway.services.agents.create(await operator(gateway, "first"), agent);
    await addLine(gateway, { agentId, name: "second" });
    await publish(gateway, agentId, DOCUMENT);
    const contactIds: string[] = [];
    for (let i = 0; i < CONTACTS; i++) {
      const addresses = [{ kind: "local", address: `address ${i}` }];
      contactIds.push(
        await addContact(gateway, { agentId, ref: `ref ${i}`, name: `Contact ${i}`, addresses } as never),
      );
    }
    const { secret } = await mint(gateway, { agent: slug });
    const origin = { ip: null, userAgent: null, requestId: null };
    const context: RequestContext = {
      caller: await gateway.services.acceptedKeys.resolve(secret, origin),
      origin,
    };
    const decide = async (input: Input) => {
      try {
        const { id } = await gateway.services.decisions.decide(context, { ...input, dryRun: false });
        return id;
      } catch (error) {
        return String(error);
      }
    };
    return { agentId, contactIds, decide };
  }

  /** Returns the situations to submit, which refer to contacts in every possible way. */
  function handedIn(contactIds: readonly string[]): Input[] {
    const number = numbers(17);
    return Array.from({ length: HANDED }, (_, i) => {
      const kind = KINDS[number(KINDS.length)] as string;
      const contact = number(CONTACTS);
      const ways = [
        { id: contactIds[contact] as string },
        { ref: `ref ${contact}` },
        { address: { kind: "local", address: `address ${contact}` } },
        { ref: `new ${number(20)}` },
      ];
      const about = { unknown: { id: "01a1fcd4-2b50-7d2f-9c1a-7b2a8d1a3c43" }, nobody: null }[kind];
      const situation =
        kind === "number" || kind === "invalid"
          ? { type: "number", data: { total: kind === "number" ? i : "many" } }
          : { type: "note", data: { text: kind } };
      return {
        situation,
        contact: about === undefined ? ways[number(ways.length)] : about,
        idempotencyKey: kind === "repeat" ? `key ${number(3)}` : number(2) === 0 ? `own ${i}` : null,
        conversationId: null,
      } as Input;
    });
  }

  /** Returns the rows of an agent in the order of the responses, without times, and with numbers instead of IDs. */
  async function storedBy(agentId: string, answers: readonly (string | null)[]): Promise<string> {
    const stored = await database().read(async (reader) => {
      const decisions = new Map((await reader.findBy(Decision, { agentId })).map((each) => [each.id, each]));
      const all = answers.map((answer) => decisions.get(answer ?? "") ?? answer);
      const ids = [...new Set(answers.map((answer) => decisions.get(answer ?? "")?.conversationId))];
      const conversations = await reader.findBy(Conversation, { agentId });
      const messages = await reader.find(Message, {
        where: { agentId },
        order: { sequence: "ASC", id: "ASC" },
      });
      const events = await reader.find(Event, { where: { agentId }, order: { position: "ASC" } });
      const tags = await reader.find(ContactTag, { where: { agentId }, order: { tag: "ASC" } });
      const contacts = [...new Set(all.map((each) => (each instanceof Decision ? each.contactId : null)))];
      return {
        decisions: all,
        undecided: decisions.size - new Set(answers).size,
        conversations: ids.map((id) => ({
          ...conversations.find((each) => each.id === id),
          messages: messages.filter(({ conversationId }) => conversationId === id),
          events: events
            .filter(({ subject }) => subject === `conversation:${id}`)
            .map(({ type, data }) => [type, data]),
        })),
        alone: messages.filter(({ conversationId }) => conversationId === null).map(({ text }) => text),
        tags: contacts.map((id) => tags.filter(({ contactId }) => contactId === id)),
      };
    });
    return comparable(stored).replace(/(one-at-a-time|all-together|agk_\w+)/g, "<agent>");
  }

  test("situations that arrive together are decided as if they arrived one after the other", async () => {
    const one = await newAgent("one-at-a-time");
    const alone: (string | null)[] = [];
    for (const input of handedIn(one.contactIds)) alone.push(await one.decide(input));

    const many = await newAgent("all-together");
    const together: (string | null)[] = [];
    const all = handedIn(many.contactIds);
    await withoutOvertaking(async () => {
      for (let from = 0; from < HANDED; from += BATCH)
        together.push(
          ...(await Promise.all(all.slice(from, from + BATCH).map((input) => many.decide(input)))),
        );
    });
    expect(await storedBy(many.agentId, together)).toBe(await storedBy(one.agentId, alone));
    expect(new Set(together).size).toBeGreaterThan(HANDED / 2);
  });

  test("a rejected situation stores nothing, not even the conversation with the default contact", async () => {
    const { agentId, decide } = await newAgent("rejected");
    await publish(gateway, agentId, { ...DOCUMENT, defaultContact: "ref 0" });
    const rows = () =>
      database().read(async (reader) => [
        await reader.countBy(Conversation, { agentId }),
        await reader.countBy(Event, { agentId }),
      ]);
    const before = await rows();
    const input = { situation: { type: "note", data: { text: "plain" } }, idempotencyKey: "full" } as Input;
    const take = jest.spyOn(gateway.services.agentQueues, "take").mockResolvedValue(false);
    try {
      expect(await decide(input)).toContain("at most 100,000 queued messages");
    } finally {
      take.mockRestore();
    }
    expect(await rows()).toEqual(before);
    expect(await decide(input)).toMatch(UUID);
  });

  test("situations without a contact that arrive together share the agent's counts and timers", async () => {
    const { agentId, decide } = await newAgent("shared");
    await publish(gateway, agentId, SHARED);
    const together = (count: number, situation: (i: number) => Input["situation"]) =>
      Promise.all(
        Array.from({ length: count }, (_, i) =>
          decide({ situation: situation(i), idempotencyKey: null } as Input),
        ),
      );
    const alerts = await together(10, () => ({ type: "alert", data: { order: "A1" } }));
    expect(new Set(alerts).size).toBe(10);
    const timers = await together(22, (i) => ({ type: "wait", data: { key: `key ${i}` } }));
    expect(new Set(timers).size).toBe(22);
    const stored = await database().read(async (reader) => [
      await reader.countBy(Message, { agentId }),
      await reader.countBy(Timer, { agentId }),
    ]);
    expect(stored).toEqual([1, 20]);
  });

  test("a handoff makes room for the message before it in a full queue", async () => {
    const { agentId, decide, contactIds } = await newAgent("full");
    await database().write((tx) => tx.update(Line, { agentId }, { state: LineState.paused }));
    const note = (text: string) =>
      decide({
        situation: { type: "note", data: { text } },
        contact: { id: contactIds[0] },
        idempotencyKey: null,
      } as Input);
    await note("plain");
    await database().write(async (tx) => {
      const { id: _, sequence: __, ...queued } = await tx.findOneByOrFail(Message, { agentId });
      const copies = Array.from({ length: MAX_QUEUED }, (_, i) => ({
        ...queued,
        id: uuid(),
        sequence: i + 10,
      }));
      await insertAll(tx, Message, copies);
      await tx.update(Conversation, { agentId }, { lastSequence: MAX_QUEUED + 10 });
    });
    expect(await note("plain")).toContain(`at most ${MAX_QUEUED} queued, scheduled and proposed messages`);
    const id = (await note("over")) ?? "";
    const decision = await database().read((reader) => reader.findOneByOrFail(Decision, { id }));
    expect(decision.outcome).toBe("handoff");
  });

  test("none of a burst of an agent's situations is rejected, and neither is another agent's", async () => {
    const { agentId } = await newAgent("burst");
    const { secret } = await mint(gateway, { agent: "burst" });
    const neighbor = decisionClient(gateway);
    await publish(gateway, await firstAgentId(gateway), DOCUMENT);
    const burst = decisionClient(gateway, secret);
    const situation = (i: number) => ({
      type: "note",
      data: { text: "plain" },
      contact: { ref: `ref ${i % 32}` },
    });
    const replies = await Promise.all(
      Array.from({ length: 74 }, (_, i) => (i < 64 ? burst : neighbor).decide(situation(i))),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(74).fill(201));
    const decided = await database().read((reader) => reader.countBy(Decision, { agentId }));
    expect(decided).toBe(64);
  });

  if (engine.name !== "PostgreSQL") return;

  test("two processes share an agent's counts for situations without a contact", async () => {
    const { agentId } = await newAgent("two-processes");
    await publish(gateway, agentId, SHARED);
    const { secret } = await mint(gateway, { agent: "two-processes" });
    const other = await startGateway(engine, {
      database: { url: gateway.databaseUrl, drop: async () => undefined },
      signInOwner: false,
    });
    try {
      for (let order = 0; order < 5; order++) {
        const replies = await Promise.all(
          [gateway, other].map((each) =>
            decisionClient(each, secret).decide({ type: "alert", data: { order: `${order}` } }),
          ),
        );
        expect(replies.map(({ status }) => status)).toEqual([201, 201]);
      }
    } finally {
      await other.close();
    }
    expect(await database().read((reader) => reader.countBy(Message, { agentId }))).toBe(5);
  });
});
