import { MAX_EXAMINED } from "../../src/features/events/event.service";
import { EVENT_TYPES } from "../../src/features/events/event-types";
import { read } from "../docs/markdown";
import { contactClient } from "../support/contacts";
import { conversationClient } from "../support/conversations";
import { decisionClient, publish } from "../support/decisions";
import { testOnAny } from "../support/engines";
import { skipPositions } from "../support/followers";
import type { Reply } from "../support/gateway";
import { addLine, lineClient } from "../support/lines";
import { addAgent, firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";
import { addEvents } from "../support/webhooks";

interface Told {
  id: string;
  type: string;
  subject: string;
  position: string;
  data: Record<string, unknown>;
}

describeGateway((gateway, engine) => {
  const anyTest = testOnAny(engine);
  let agentId: string;
  beforeAll(async () => {
    agentId = await firstAgentId(gateway);
  });

  /** Reads all events after a position, page by page. */
  async function follow(after = "0", limit = 100): Promise<Told[]> {
    const all: Told[] = [];
    for (let cursor = after; ; ) {
      const { body } = await gateway.rest("GET", `/agent/events?limit=${limit}&cursor=${cursor}`);
      all.push(...body);
      if (body.length < limit) return all;
      cursor = body.at(-1).position;
    }
  }
  const lastPosition = async () => (await follow()).at(-1)?.position ?? "0";
  /** Returns the types of the events that an action causes. */
  async function typesOf(work: () => Promise<unknown>): Promise<string[]> {
    const before = await lastPosition();
    await work();
    return (await follow(before)).map(({ type }) => type);
  }

  anyTest("the first start published a configuration, and positions start at 1", async () => {
    const [first] = await follow();
    expect(first).toMatchObject({
      type: "configuration.published",
      position: "1",
      subject: `configuration:${agentId}`,
      data: { version: 1 },
    });
  });

  anyTest("every change in the agent's domain causes its event", async () => {
    const contacts = contactClient(gateway);
    const conversations = conversationClient(gateway);
    const addresses = [{ kind: "local", address: "anna" }];
    let contactId = "";
    let id = "";
    expect(
      await typesOf(async () => {
        const { body } = await contacts.put({ ref: "anna", addresses });
        contactId = body.data.putContact.contact.id;
        await contacts.put({ ref: "anna", addresses });
        await contacts.put({ ref: "anna", name: "Anna" });
        await contacts.addTags(contactId, ["vip"]);
        await contacts.addTags(contactId, ["vip"]);
      }),
    ).toEqual(["contact.created", "contact.updated", "contact.tags_changed"]);
    const line = await addLine(gateway, { agentId });
    expect(
      await typesOf(async () => {
        await lineClient(gateway).pause(line.id);
        await lineClient(gateway).resume(line.id);
      }),
    ).toEqual(["line.paused", "line.resumed"]);
    expect(
      await typesOf(async () => {
        const { body } = await conversations.open({ contact: { id: contactId }, message: "Hello" });
        id = body.data.openConversation.conversation.id;
        await conversations.move(id, { line: line.name });
        await conversations.handOff(id);
        await conversations.release(id);
        await conversations.close(id);
      }),
    ).toEqual([
      "conversation.opened",
      "message.queued",
      "conversation.moved",
      "message.canceled",
      "conversation.handed_off",
      "conversation.released",
      "conversation.closed",
    ]);
    expect(await typesOf(() => publish(gateway, agentId, { otherwise: [] }))).toEqual([
      "configuration.published",
    ]);
    expect(await typesOf(() => decisionClient(gateway).decide({ type: "any" }))).toEqual(["decision.made"]);
    expect(await typesOf(() => contacts.erase(contactId))).toEqual(["contact.erased"]);
    const ofContact = (await follow()).filter(({ subject }) => subject === `contact:${contactId}`);
    expect(JSON.stringify(ofContact)).not.toContain("anna");
  });

  anyTest("a rejected change causes no event", async () => {
    expect(
      await typesOf(async () => {
        await contactClient(gateway).addTags("01a1fcd4-2b50-7d2f-9c1a-7b2a8d1a3c43", ["x"]);
        await decisionClient(gateway).decide({ type: "any", dryRun: true });
        await gateway.rest("POST", "/messages", { body: { message: "" } });
      }),
    ).toEqual([]);
  });

  test("positions have no gaps and no duplicates, however many concurrent changes there are", async () => {
    const before = BigInt(await lastPosition());
    await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        i % 3 === 0
          ? contactClient(gateway).put({ ref: `many ${i}` })
          : gateway.rest("POST", "/messages", { body: { message: `many ${i}` } }),
      ),
    );
    const positions = (await follow(String(before), 7)).map(({ position }) => BigInt(position));
    expect(positions).toEqual(positions.map((_, i) => before + BigInt(i + 1)));
    expect(positions.length).toBe(60);
  });

  anyTest("a page can be limited to some types, and its cursor continues after the others", async () => {
    const ask = async (args: string) => {
      const { body } = await gateway.graphql(
        `{ events(${args}) { nodes { type } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
      );
      return body.data?.events ?? body.errors[0].extensions.code;
    };
    const { nodes, pageInfo } = await ask("types: [line_paused], first: 100");
    expect(nodes).toEqual([{ type: "line_paused" }]);
    expect(pageInfo).toEqual({
      hasNextPage: false,
      hasPreviousPage: false,
      startCursor: expect.stringMatching(/^\d+$/),
      endCursor: await lastPosition(),
    });
    expect(await ask(`after: "${pageInfo.endCursor}"`)).toEqual({
      nodes: [],
      pageInfo: { ...pageInfo, hasPreviousPage: true, startCursor: null },
    });
    expect(await ask("types: [line_lost]")).toBe("graphql_validation_failed");
    expect(await ask("types: []")).toBe("invalid_request");
  });

  anyTest("a page in GraphQL is a Relay connection whose cursors are positions", async () => {
    const { body } = await gateway.graphql(
      "{ events(first: 2) { edges { cursor node { position } } nodes { position } pageInfo { startCursor endCursor } } }",
    );
    const { edges, nodes, pageInfo } = body.data.events;
    expect(edges).toEqual(nodes.map((node: { position: string }) => ({ cursor: node.position, node })));
    expect(pageInfo).toEqual({ startCursor: nodes[0].position, endCursor: nodes[1].position });
  });

  anyTest.each(["types=", "types=no.such", "types=line.paused&types=no.such"])(
    "a list by %s is rejected",
    async (query) => {
      const { status, body } = await gateway.rest("GET", `/agent/events?${query}`);
      expect([status, body.code, body.message]).toEqual([
        ...[400, "invalid_request", expect.stringMatching(/^types\.\d must be one of .*line\.paused/)],
      ]);
    },
  );

  anyTest("a page of a rare type ends after some events, with the position to continue from", async () => {
    const agent = await addAgent(gateway);
    const list = (query: string) => gateway.rest("GET", `/agent/events${query}`, { token: agent.token });
    const end = ({ headers }: Reply) => headers.get("last-event-id");
    const before = Number(end(await list("")));
    // In chunks, because all of them may exceed the transaction's time limit on a busy machine.
    for (let left = MAX_EXAMINED; left > 0; left -= 500)
      await addEvents(gateway, agent.id, Array<string>(Math.min(left, 500)).fill("line"));
    await addEvents(gateway, agent.id, ["rare"], "line.resumed");
    const first = await list(`?types=line.resumed&cursor=${before}`);
    expect([first.body, end(first)]).toEqual([[], String(before + MAX_EXAMINED)]);
    const next = /<[^?]*(\?[^>]*)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    const second = await list(next);
    expect(second.body).toMatchObject([{ type: "line.resumed", subject: "line:rare" }]);
    expect([end(second), second.headers.get("link")]).toEqual([String(before + MAX_EXAMINED + 1), null]);
    const third = await list(`?types=line.resumed&cursor=${end(second)}`);
    expect([third.body, end(third)]).toEqual([[], end(second)]);
    // A page includes the last event that it examines.
    const whole = await list(`?types=line.resumed&cursor=${before + 1}`);
    expect(whole.body).toHaveLength(1);
    const pages = await list(`?types=line.paused&cursor=${before}&limit=2`);
    expect([pages.body.length, end(pages)]).toEqual([2, String(before + 2)]);
  });

  anyTest.each(["9999999", "-1", "01", "x", "1e3", "9".repeat(30), ""])(
    "the position %j, which no event has had, is rejected",
    async (cursor) => {
      const { status, body } = await gateway.rest("GET", `/agent/events?cursor=${cursor}`);
      expect([status, body.code]).toEqual([400, "invalid_cursor"]);
    },
  );

  anyTest(
    "a position whose next event was purged is gone, and a list without a position starts with the oldest event",
    async () => {
      const agent = await addAgent(gateway);
      for (const message of ["one", "two", "three"])
        await gateway.rest("POST", "/messages", { token: agent.token, body: { message } });
      const list = (query = "") => gateway.rest("GET", `/agent/events${query}`, { token: agent.token });
      const all: Told[] = (await list()).body;
      const queued = all.filter(({ type }) => type === "message.queued").map(({ position }) => position);
      expect(queued).toHaveLength(3);
      await gateway.rows.execute("DELETE FROM event WHERE agent_id = $1 AND position <= $2", [
        agent.id,
        queued[1],
      ]);
      const gone = await list("?cursor=0");
      expect([gone.status, gone.body.code]).toEqual([410, "position_expired"]);
      expect((await list(`?cursor=${queued[1]}`)).body).toMatchObject([{ position: queued[2] }]);
      expect((await list()).body).toMatchObject([{ position: queued[2] }]);
    },
  );

  anyTest(
    "after a restore, earlier positions are gone, and pages lead past the skipped positions",
    async () => {
      const agent = await addAgent(gateway);
      const list = (query = "") => gateway.rest("GET", `/agent/events${query}`, { token: agent.token });
      const end = ({ headers }: Reply) => headers.get("last-event-id");
      await addEvents(gateway, agent.id, ["one"]);
      const last = Number(end(await list()));
      await skipPositions(gateway, agent.id);
      const skipped = end(await list());
      expect(Number(skipped)).toBeGreaterThan(last + 1);
      await addEvents(gateway, agent.id, ["two", "three"]);
      for (const query of [`?cursor=${last}`, `?cursor=${last + 1}`, `?cursor=${last}&types=line.paused`]) {
        const gone = await list(query);
        expect([gone.status, gone.body.code]).toEqual([410, "position_expired"]);
      }
      const page = await list(`?limit=${last}`);
      expect(page.body.at(-1)).toMatchObject({ subject: "line:one" });
      expect(end(page)).toBe(skipped);
      expect((await list(`?cursor=${skipped}`)).body).toMatchObject([
        { subject: "line:two" },
        { subject: "line:three" },
      ]);
    },
  );

  anyTest("a key without the scope, and one of another agent, see nothing of it", async () => {
    const { token } = await addAgent(gateway);
    const { body } = await gateway.rest("GET", "/agent/events", { token });
    expect(new Set(body.map(({ agentId: of }: { agentId: string }) => of)).has(agentId)).toBe(false);
  });
});

test("the documentation has a row for each type, and no other", () => {
  const rows = [...read("docs/events.md").matchAll(/^\| `(\w+\.\w+)` \| ([^`].*) \|$/gm)].map(
    ([, type]) => type,
  );
  expect(rows.toSorted()).toEqual([...EVENT_TYPES.keys()].toSorted());
});

test("the documentation names the data of each type", () => {
  const rows = [...read("docs/events.md").matchAll(/^\| `(\w+)\.([\w*]+)` \| (`\w+`(?:, `\w+`)*) \|$/gm)];
  const fields = new Map(rows.map(([, about, what, list = ""]) => [`${about}.${what}`, list.match(/\w+/g)]));
  for (const [type, { data }] of EVENT_TYPES)
    expect([type, fields.get(type) ?? fields.get(type.replace(/\..*/, ".*"))]).toEqual([
      type,
      Object.keys(data.properties as object),
    ]);
});
