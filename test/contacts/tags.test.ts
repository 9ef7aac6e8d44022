import { contactClient } from "../support/contacts";
import { startGateway } from "../support/gateway";
import { codeOf } from "../support/people";
import { whileUnavailable } from "../support/retries";
import { describeGateway } from "../support/suite";

describeGateway({ engine: "any" }, (gateway, engine) => {
  const client = contactClient(gateway);
  let contacts = 0;

  /** @returns the ID of a new contact with these tags */
  async function newContact(tags: string[] = []): Promise<string> {
    const { body } = await client.put({ ref: `tagged ${++contacts}` });
    const { id } = body.data.putContact.contact;
    if (tags.length > 0) await client.addTags(id, tags);
    return id;
  }
  const tagsOf = async (id: string) => (await client.find({ id })).body.data.contact.tags;
  const path = (id: string, tag = "") => `/agent/contacts/${id}/tags${tag && `/${encodeURIComponent(tag)}`}`;

  test("every verb is idempotent, and its repeat names no changed tags", async () => {
    const id = await newContact();
    const rest = async (method: string, tag = "", body?: object) =>
      (await gateway.rest(method, path(id, tag), { body })).body;
    expect(await rest("PUT", "VIP")).toEqual({ tags: ["vip"], changed: ["vip"] });
    expect(await rest("PUT", "vip")).toEqual({ tags: ["vip"], changed: [] });
    const change = { add: ["New", "b:1"], remove: ["VIP", "absent"] };
    expect(await rest("POST", "", change)).toEqual({ tags: ["b:1", "new"], changed: ["b:1", "new", "vip"] });
    expect(await rest("POST", "", change)).toEqual({ tags: ["b:1", "new"], changed: [] });
    expect(await rest("DELETE", "new")).toEqual({ tags: ["b:1"], changed: ["new"] });
    expect(await rest("DELETE", "new")).toEqual({ tags: ["b:1"], changed: [] });
    expect(await rest("GET")).toEqual({ tags: ["b:1"] });
    expect(await rest("POST", "", {})).toEqual({ tags: ["b:1"], changed: [] });
    const added = (await client.addTags(id, ["x", "X", "b:1"])).body.data.changeContactTags;
    expect(added).toEqual({ tags: ["b:1", "x"], changed: ["x"] });
    const removed = (await client.removeTags(id, ["x", "x"])).body.data.changeContactTags;
    expect(removed).toEqual({ tags: ["b:1"], changed: ["x"] });
  });

  test("a change of tags does not change the contact's version", async () => {
    const id = await newContact();
    const { version } = (await client.find({ id })).body.data.contact;
    await client.addTags(id, ["vip"]);
    expect((await client.find({ id })).body.data.contact.version).toBe(version);
  });

  test.each([
    "",
    " ",
    "two words",
    " vip",
    "-vip",
    "x".repeat(51),
    "käse",
    "nul\0",
    "\ud800",
    "\u212a",
    "a/b",
    "vip\n",
  ])("the tag %j is rejected by every verb", async (tag) => {
    const id = await newContact(["kept"]);
    const replies = [
      await client.addTags(id, ["fine", tag]),
      await client.removeTags(id, [tag]),
      await client.changeTags(id, { add: [tag] }),
      await client.changeTags(id, { remove: [tag] }),
      await gateway.rest("POST", path(id), { body: { add: [tag] } }),
    ];
    // A path cannot hold an empty segment or a lone surrogate.
    if (tag !== "" && tag.isWellFormed()) {
      replies.push(await gateway.rest("PUT", path(id, tag)), await gateway.rest("DELETE", path(id, tag)));
    }
    for (const reply of replies) expect([reply.status, codeOf(reply)]).toEqual([400, "invalid_request"]);
    expect(await tagsOf(id)).toEqual(["kept"]);
  });

  test("other bad input is rejected", async () => {
    const id = await newContact(["kept"]);
    for (const reply of [
      await client.changeTags(id, { add: ["Both"], remove: ["both"] }),
      await client.addTags(id, Array(101).fill("x")),
      await client.addTags(id, [1]),
      await client.addTags(id, [null]),
      await gateway.rest("POST", path(id), { body: { add: "x" } }),
      await gateway.rest("POST", path(id), { body: { set: ["x"] } }),
    ])
      expect([reply.status, codeOf(reply)]).toEqual([400, "invalid_request"]);
    expect(await tagsOf(id)).toEqual(["kept"]);
  });

  test("a change that adds the 51st tag is rejected as a whole, unless it removes as many tags", async () => {
    const id = await newContact(Array.from({ length: 50 }, (_, i) => `t${i}`));
    const longest = "x".repeat(50);
    for (const reply of [
      await client.addTags(id, ["t0", longest]),
      await gateway.rest("PUT", path(id, longest)),
      await client.changeTags(id, { add: ["a", "b"], remove: ["t0"] }),
      await client.addTags(
        await newContact(),
        Array.from({ length: 51 }, (_, i) => `t${i}`),
      ),
    ])
      expect([reply.status, codeOf(reply)]).toEqual([409, "limit_reached"]);
    expect(await tagsOf(id)).toHaveLength(50);
    expect(codeOf(await client.changeTags(id, { add: [longest], remove: ["t0"] }))).toBeUndefined();
    expect(await tagsOf(id)).toContain(longest);
  });

  describe("at two servers", () => {
    let other: typeof gateway;
    beforeAll(async () => {
      other = await startGateway(engine, { database: { url: gateway.databaseUrl } });
    });
    afterAll(() => other.close());

    test("200 concurrent changes leave exactly the added tags without the removed ones", async () => {
      const removed = Array.from({ length: 25 }, (_, i) => `removed-${i}`);
      const added = Array.from({ length: 25 }, (_, i) => `added-${i}`);
      const id = await newContact(removed);
      const clients = [client, contactClient(other, gateway.key)] as const;
      const calls = Array.from({ length: 200 }, (_, i) => {
        const at = clients[((i >> 1) % 2) as 0 | 1];
        const n = Math.floor(i / 2) % 25;
        return whileUnavailable(() =>
          i % 2 === 0 ? at.addTags(id, [`added-${n}`]) : at.removeTags(id, [`removed-${n}`]),
        );
      });
      const replies = await Promise.all(calls);
      expect(replies.map(codeOf)).toEqual(replies.map(() => undefined));
      expect(await tagsOf(id)).toEqual([...added].sort());
      // Each tag was changed by exactly one of the calls that named it.
      const changed = replies.flatMap(
        ({ body }) => Object.values<{ changed: string[] }>(body.data)[0]?.changed ?? [],
      );
      expect(changed.sort()).toEqual([...added, ...removed].sort());
    });

    test("readers see both tags of a change or neither", async () => {
      const id = await newContact();
      let writing = true;
      const write = async () => {
        for (let i = 0; i < 20; i++) {
          await client.changeTags(id, { add: ["left", "right"] });
          await client.changeTags(id, { remove: ["left", "right"] });
        }
        writing = false;
      };
      const seen = new Set<string>();
      const read = async () => {
        while (writing) {
          seen.add((await gateway.rest("GET", path(id))).body.tags.join());
          seen.add((await other.rest("GET", path(id), { token: gateway.key })).body.tags.join());
        }
      };
      await Promise.all([write(), read(), read()]);
      for (const tags of seen) expect(["", "left,right"]).toContain(tags);
    });
  });
});
