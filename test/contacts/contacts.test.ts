import { Permission } from "../../src/auth/permissions";
import { actionsOn } from "../support/audit";
import { closedAfterEach } from "../support/closing";
import { CONTACT, contactClient } from "../support/contacts";
import { mint, operator, startGateway } from "../support/gateway";
import { addAgent, addMember, codeOf, firstAgentId } from "../support/people";
import { describeGateway } from "../support/suite";

const email = (address: string) => ({ kind: "email", address });
const phone = (address: string) => ({ kind: "phone", address });
const UNKNOWN_ID = "018f0000-0000-7000-8000-000000000000";

describeGateway({ engine: "any" }, (gateway, engine) => {
  const keep = closedAfterEach();
  const client = contactClient(gateway);

  const stored = async (input: object) => {
    const { body } = await client.put(input);
    expect(body.errors).toBeUndefined();
    return body.data.putContact;
  };
  const put = async (input: object) => (await stored(input)).contact;

  test("a contact is created once by its ref, and later calls change only the fields that they contain", async () => {
    const first = await stored({ ref: "c-1", name: " Anna ", locale: "de-ch", timezone: "Europe/Zurich" });
    expect(first).toMatchObject({
      created: true,
      contact: { ref: "c-1", name: "Anna", locale: "de-CH", timezone: "Europe/Zurich", version: 1 },
    });
    const second = await stored({ ref: "c-1", name: null, attributes: { plan: "pro", seats: 3 } });
    expect(second).toMatchObject({
      created: false,
      contact: { id: first.contact.id, name: null, locale: "de-CH", attributes: { plan: "pro", seats: 3 } },
    });
    const replaced = await put({ ref: "c-1", attributes: { plan: "free" } });
    expect(replaced).toMatchObject({ attributes: { plan: "free" }, version: 3 });
    expect(await put({ ref: "c-1", attributes: { plan: "free" } })).toEqual(replaced);
    expect(await put({ ref: "c-1", attributes: null })).toMatchObject({ attributes: {}, version: 4 });
  });

  test("a contact is found by any notation of its address", async () => {
    const { id, addresses } = await put({
      addresses: [
        email(" Bert@Bücher.Example "),
        phone("+41 44 668 18 00"),
        { kind: "local", address: "Bert" },
      ],
    });
    expect(addresses).toEqual(
      expect.arrayContaining([
        email("bert@xn--bcher-kva.example"),
        phone("+41446681800"),
        { kind: "local", address: "Bert" },
      ]),
    );
    for (const address of [
      email("BERT@bücher.example"),
      phone("+41-44-668 1800"),
      { kind: "local", address: "Bert" },
    ])
      expect(await stored({ addresses: [address], name: "Bert" })).toMatchObject({
        created: false,
        contact: { id, name: "Bert" },
      });
    const other = await stored({ addresses: [{ kind: "local", address: "bert" }] });
    expect(other).toMatchObject({ created: true });
  });

  test("addresses are added, up to 10, and null removes all of them", async () => {
    const ref = "many addresses";
    const of = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => email(`many-${from + i}@example.com`));
    await put({ ref, addresses: of(0, 6) });
    expect((await put({ ref, addresses: of(4, 10) })).addresses).toHaveLength(10);
    const more = await client.put({ ref, addresses: of(9, 11) });
    expect([more.status, codeOf(more)]).toEqual([409, "limit_reached"]);
    expect(codeOf(await client.put({ ref: "eleven", addresses: of(20, 31) }))).toBe("limit_reached");
    expect((await client.find({ ref: "eleven" })).body.data.contact).toBeNull();
    expect((await put({ ref, addresses: null })).addresses).toEqual([]);
    expect(await stored({ addresses: of(0, 1) })).toMatchObject({ created: true });
  });

  test("a contact without a ref takes the ref that comes with its address; any other match is a conflict", async () => {
    const { id } = await put({ addresses: [email("meeting-1@example.com")] });
    expect(await put({ ref: "meeting", addresses: [email("meeting-1@example.com")] })).toMatchObject({ id });
    await put({ ref: "someone else", addresses: [email("meeting-2@example.com")] });
    for (const input of [
      { ref: "a third", addresses: [email("meeting-1@example.com")] },
      { ref: "meeting", addresses: [email("meeting-2@example.com")] },
      { addresses: [email("meeting-1@example.com"), email("meeting-2@example.com")] },
    ]) {
      const reply = await client.put(input);
      expect([reply.status, codeOf(reply)]).toEqual([409, "conflict"]);
    }
    expect((await client.find({ ref: "a third" })).body.data.contact).toBeNull();
  });

  test("REST answers 201 with Location for a new contact and 200 for one that exists", async () => {
    const body = { ref: "over REST", addresses: [email("rest@example.com")] };
    const [first, second] = [
      await gateway.rest("POST", "/agent/contacts", { body }),
      await gateway.rest("POST", "/agent/contacts", { body }),
    ];
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.body).toEqual(first.body);
    const location = first.headers.get("location") ?? "";
    expect(location).toBe(`/agent/contacts/${first.body.id}`);
    expect((await gateway.rest("GET", location)).body).toEqual(first.body);
    expect(second.headers.get("location")).toBeNull();
  });

  test("a search finds a phone number in any notation, and its beginning", async () => {
    const swiss = await put({ addresses: [phone("+41 43 210 00 07")] });
    const italian = await put({ addresses: [phone("+39 06 6982 1234")] });
    const found = async (search: string) => (await client.list({ search })).body.data.contacts.nodes;
    const international =
      "+41 43 210 00 07|0041432100007|tel:+41-43-210-00-07|+41 (0)43 / 210.00.07|41432100007";
    const national =
      "043 210 00 07|(043) 210 00\u201107|\u202a043\u00a0210\u00a000\u00a007\u202c|43 210 00 07";
    for (const search of [international, national, "+41 43 21|0041 (0)43 2|41 43 210"].join("|").split("|"))
      expect([search, await found(search)]).toEqual([search, [swiss]]);
    for (const search of ["06 6982 1234", "+39 (0)6 6982 1234"])
      expect([search, await found(search)]).toEqual([search, [italian]]);
    for (const search of ["043 210 00 08", "043 210", "210 00 07", "+42 43 210 00 07"])
      expect([search, await found(search)]).toEqual([search, []]);
  });

  test("a contact that a phone number matches twice takes one place on a page", async () => {
    const several = [phone("+41 43 210 00 91"), phone("+41 43 210 00 92"), phone("+49 43 2100092")];
    const both = [
      await put({ ref: "41432100091", addresses: several }),
      await put({ name: "41432100091", addresses: [phone("+43 43 2100092")] }),
    ];
    for (const search of ["41432100091", "0432100092"]) {
      const { nodes, pageInfo } = (await client.list({ search, first: 1 })).body.data.contacts;
      const after = pageInfo.endCursor;
      const rest = (await client.list({ search, first: 1, after })).body.data.contacts.nodes;
      expect([search, ...nodes, ...rest]).toEqual([search, ...both]);
    }
  });

  test("lists are in ID order, page by page, by tag and by search", async () => {
    const { token } = await addAgent(gateway);
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) {
      const input = {
        ref: `p-${i}`,
        name: `Person Number${i} O’Neil`,
        addresses: [email(`p${i}@example.com`)],
      };
      const { id } = (await client.put(input, { token })).body.data.putContact.contact;
      if (i % 2 === 0) await client.addTags(id, ["even"], { token });
      ids.push(id);
    }
    const idsOf = async (path: string) => {
      const found: string[] = [];
      for (let next: string | undefined = path; next !== undefined; ) {
        const { body, headers } = await gateway.rest("GET", next, { token });
        found.push(...body.map(({ id }: { id: string }) => id));
        next = /<(.*)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
      }
      return found;
    };
    const even = ids.filter((_, i) => i % 2 === 0);
    for (const [query, expected] of [
      ["limit=3", ids],
      ["limit=2&tag=Even", even],
      ["limit=2&search=person", ids],
      ["limit=1&search=PERSON&tag=even", even],
      ["search=p-3", [ids[3]]],
      ["search=P4%40example.com", [ids[4]]],
      ["search=number5", [ids[5]]],
      ["search=Person%20%20Number2%20O%E2%80%99Neil", [ids[2]]],
      ["search=person&tag=absent", []],
      ["limit=2&search=pers", ids],
      ["limit=1&order=newest_first&search=pers", [...ids].reverse()],
      ["search=pers&tag=even", even],
      [`search=person&ids=${ids[1]}&ids=${ids[2]}`, [ids[1], ids[2]]],
      ["search=ERSON", []],
      ["search=neil%20numb", ids],
      ["search=o’neil%20number4", [ids[4]]],
      ["search=neil%20person%20number4", [ids[4]]],
      ["search=number4%20neil%20zoe", []],
      ["search=p-", ids],
      ["search=p4%40exam", [ids[4]]],
      ["search=%25", []],
      ["search=_erson", []],
      ["search=%F4%8F%BF%BF", []],
    ] as const)
      expect({ query, ids: await idsOf(`/agent/contacts?${query}`) }).toEqual({ query, ids: expected });
  });

  test("erasing leaves the ID and the times, is recorded once, and frees ref and addresses", async () => {
    const ref = "to erase";
    const { id, createdAt } = await put({
      ref,
      name: "Zoe",
      locale: "fr",
      addresses: [email("zoe@example.com")],
    });
    await client.addTags(id, ["vip"]);
    const erased = (await client.erase(id)).body.data.eraseContact;
    expect(erased).toMatchObject({
      id,
      ref: null,
      name: null,
      locale: null,
      attributes: {},
      addresses: [],
      tags: [],
      createdAt,
      erasedAt: expect.any(String),
    });
    expect((await gateway.rest("DELETE", `/agent/contacts/${id}`)).status).toBe(204);
    expect((await client.find({ id })).body.data.contact).toEqual(erased);
    expect(await actionsOn(gateway, id)).toEqual(["contact_erased"]);
    expect((await client.find({ ref })).body.data.contact).toBeNull();
    for (const args of [{ search: "zoe" }, { tag: "vip" }, { first: 100 }])
      expect(JSON.stringify((await client.list(args)).body)).not.toContain(id);
    const tagged = await client.addTags(id, ["vip"]);
    expect([tagged.status, codeOf(tagged)]).toEqual([409, "conflict"]);
    expect(await stored({ ref, addresses: [email("zoe@example.com")] })).toMatchObject({ created: true });
    const { text } = await gateway.graphql(
      "{ auditLog { nodes { targetName } } }",
      {},
      { token: gateway.owner },
    );
    expect(text).not.toMatch(/zoe|to erase/i);
  });

  test("members with the permissions read and write the contacts of the agent that they name", async () => {
    const agentId = await firstAgentId(gateway);
    const { token } = await addMember(gateway, {
      permissions: [Permission.conversations_read, Permission.conversations_write],
    });
    const { id } = (await client.put({ agentId, ref: "by a member" }, { token })).body.data.putContact
      .contact;
    expect((await client.find({ id }, { token })).body.data.contact.id).toBe(id);
    expect((await client.find({ ref: "by a member", agentId }, { token })).body.data.contact.id).toBe(id);
    expect((await client.find({ id })).body.data.contact.id).toBe(id);
    for (const reply of [
      await client.put({ ref: "by a member" }, { token }),
      await client.find({ ref: "by a member" }, { token }),
      await client.list({}, { token }),
    ])
      expect(codeOf(reply)).toBe("invalid_request");
    expect(codeOf(await client.erase(id, { token }))).toBe("forbidden");
  });

  test("another agent of the organization has its own contacts and finds no other", async () => {
    const { token } = await addAgent(gateway);
    const address = email("shared@example.com");
    const { id } = await put({ ref: "shared", addresses: [address] });
    const theirs = (await client.put({ ref: "shared", addresses: [address] }, { token })).body.data
      .putContact;
    expect(theirs.created).toBe(true);
    expect(theirs.contact.id).not.toBe(id);
    expect((await client.find({ id }, { token })).body.data.contact).toBeNull();
    for (const reply of [
      await client.erase(id, { token }),
      await client.addTags(id, ["x"], { token }),
      await client.removeTags(id, ["x"], { token }),
      await client.changeTags(id, { add: ["x"] }, { token }),
    ])
      expect([reply.status, codeOf(reply)]).toEqual([404, "not_found"]);
    expect((await gateway.rest("GET", `/agent/contacts/${id}`, { token })).status).toBe(404);
  });

  test("a key must not name an agent, in GraphQL, and cannot in REST", async () => {
    const agentId = await firstAgentId(gateway);
    for (const reply of [
      await client.put({ agentId, ref: "named" }),
      await client.list({ agentId }),
      await client.find({ agentId, ref: "named" }),
      await gateway.rest("POST", "/agent/contacts", { body: { agentId, ref: "named" } }),
      await gateway.rest("GET", `/agent/contacts?agentId=${agentId}`),
    ])
      expect([reply.status, codeOf(reply)]).toEqual([400, "invalid_request"]);
    expect((await client.find({ ref: "named" })).body.data.contact).toBeNull();
  });

  const BAD: [string, object][] = [
    ["neither ref nor address", {}],
    ["neither, but a name", { name: "x" }],
    ["a ref of null and no address", { ref: null, addresses: [] }],
    ["addresses of null without ref", { addresses: null }],
    ["an empty ref", { ref: "" }],
    ["a ref that is too long", { ref: "x".repeat(256) }],
    ["a NUL in the ref", { ref: "a\0b" }],
    ["a lone surrogate in the ref", { ref: "\ud800" }],
    ["a name that is too long", { ref: "bad", name: "x".repeat(201) }],
    ["a name of two lines", { ref: "bad", name: "a\nb" }],
    ["a locale that is not a tag", { ref: "bad", locale: "not a locale" }],
    ["the name of a language", { ref: "bad", locale: "english" }],
    ["a language that does not exist", { ref: "bad", locale: "xx-CH" }],
    ["an undetermined language", { ref: "bad", locale: "und" }],
    [
      "a locale whose canonical form is too long",
      { ref: "bad", locale: "sh-x-aaaaaaaa-aaaaaaaa-aaaaaaaa-aaa" },
    ],
    ["an unknown time zone", { ref: "bad", timezone: "Europe/Atlantis" }],
    ["an offset as time zone", { ref: "bad", timezone: "+02:00" }],
    ["attributes that are too large", { ref: "bad", attributes: { text: "x".repeat(8_192) } }],
    ["attributes that are too large in bytes", { ref: "bad", attributes: { text: "🐕".repeat(2_048) } }],
    ["a list as attributes", { ref: "bad", attributes: ["x"] }],
    ["a NUL in the attributes", { ref: "bad", attributes: { a: ["\0"] } }],
    ["a NUL in a name of the attributes", { ref: "bad", attributes: { "\0": 1 } }],
    ["a lone surrogate in the attributes", { ref: "bad", attributes: { a: { b: "\udc00" } } }],
    ["no e-mail address", { addresses: [email("anna")] }],
    ["an e-mail address with a control character", { addresses: [email("an\u0007na@example.com")] }],
    ["an e-mail address with a NUL", { addresses: [email("a\0@example.com")] }],
    ["a phone number without country code", { addresses: [phone("044 668 18 00")] }],
    ["a phone number that is too short", { addresses: [phone("+41 4")] }],
    ["a phone number with an extension", { addresses: [phone("+41446681800 ext. 7")] }],
    ["a phone number with letters", { addresses: [phone("call +41446681800")] }],
    ["an empty address", { addresses: [{ kind: "other", address: " " }] }],
    ["a lone surrogate in an address", { addresses: [{ kind: "other", address: "\ud800" }] }],
    ["an address that is too long", { addresses: [{ kind: "local", address: "x".repeat(255) }] }],
    ["an unknown kind", { addresses: [{ kind: "fax", address: "x" }] }],
    ["101 tags", { ref: "bad", tags: Array(101).fill("x") }],
    ["101 addresses", { ref: "bad", addresses: Array(101).fill(email("a@example.com")) }],
    ["an unknown member", { ref: "bad", tag: "x" }],
  ];
  test.each(BAD)("%s is rejected by both APIs", async (_, input) => {
    const replies = [await client.put(input), await gateway.rest("POST", "/agent/contacts", { body: input })];
    for (const reply of replies) expect([reply.status, codeOf(reply)]).toEqual([400, "invalid_request"]);
    expect((await client.find({ ref: "bad" })).body.data.contact).toBeNull();
  });

  test.each(["9223372036854775807", "-9223372036854775809", "9007199254740993"])(
    "an integer of %s in the attributes is rejected, because it would be rounded",
    async (digits) => {
      const input = `{"ref":"bad","attributes":{"deep":[${digits}]}}`;
      const query = "mutation ($input: PutContactInput!) { putContact(input: $input) { created } }";
      const literal = `mutation { putContact(input: { ref: "bad", attributes: { deep: [${digits}] } }) { created } }`;
      for (const reply of [
        await gateway.rest("POST", "/agent/contacts", { body: input }),
        await gateway.graphql(
          "",
          {},
          { body: `{"query":${JSON.stringify(query)},"variables":{"input":${input}}}` },
        ),
        await gateway.graphql(literal),
      ])
        expect(reply.status).toBe(400);
      expect((await client.find({ ref: "bad" })).body.data.contact).toBeNull();
    },
  );

  test.each(["1e+107", "-1.4240945430458199e+107", "9007199254740992"])(
    "a double of %s in the attributes is kept by both APIs, although it is an integer",
    async (digits) => {
      const input = `{"ref":"large ${digits}","attributes":{"deep":[${digits}]}}`;
      const query = "mutation ($input: PutContactInput!) { putContact(input: $input) { created } }";
      for (const reply of [
        await gateway.rest("POST", "/agent/contacts", { body: input }),
        await gateway.graphql(
          "",
          {},
          { body: `{"query":${JSON.stringify(query)},"variables":{"input":${input}}}` },
        ),
      ])
        expect([reply.status, reply.body.errors]).toEqual([expect.any(Number), undefined]);
      const found = (await client.find({ ref: `large ${digits}` })).body.data.contact;
      expect([found.attributes, found.version]).toEqual([{ deep: [Number(digits)] }, 1]);
    },
  );

  test("attributes are returned as they were sent, even from a literal with variables", async () => {
    const attributes = {
      exact: 9007199254740992,
      minus: -1.5e-7,
      "": { __proto__x: [null, true, "🐕", { constructor: "x" }] },
    };
    expect((await put({ ref: "exact", attributes })).attributes).toEqual(attributes);
    const { body } = await gateway.graphql(
      `mutation ($plan: String!) {
        putContact(input: { ref: "exact", attributes: { plan: $plan, n: [1, 2.5, null, off] } }) {
          contact { attributes }
        }
      }`,
      { plan: "pro" },
    );
    expect(body.data.putContact.contact.attributes).toEqual({ plan: "pro", n: [1, 2.5, null, "off"] });
  });

  test("other bad input is rejected, and unknown contacts are not found", async () => {
    for (const [reply, code] of [
      [await client.find({}), "invalid_request"],
      [await client.find({ id: UNKNOWN_ID, ref: "x" }), "invalid_request"],
      [await client.list({ tag: "two words" }), "invalid_request"],
      [await client.list({ search: "x".repeat(256) }), "invalid_request"],
      [await client.list({ search: "\0" }), "invalid_request"],
      [await client.list({ after: "x" }), "invalid_cursor"],
      [await client.list({ first: 101 }), "invalid_request"],
      [await client.erase(UNKNOWN_ID), "not_found"],
      [await client.erase("\0"), "not_found"],
    ] as const)
      expect(codeOf(reply)).toBe(code);
    for (const ref of ["\0", "\ud800"])
      expect((await client.find({ ref })).body).toEqual({ data: { contact: null } });
    expect((await gateway.rest("GET", `/agent/contacts/${UNKNOWN_ID}`)).status).toBe(404);
    expect((await gateway.rest("DELETE", "/agent/contacts/1")).status).toBe(404);
  });

  test("concurrent calls at two servers create one contact, and addresses have one owner", async () => {
    const other = await keep(startGateway(engine, { database: { url: gateway.databaseUrl } }));
    const { token } = await addAgent(gateway);
    const clients = [client, contactClient(other)] as const;
    const at = (i: number) => clients[(i % 2) as 0 | 1];
    const same = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        at(i).put({ ref: "racing", addresses: [email(`racing-${i % 4}@example.com`)] }, { token }),
      ),
    );
    expect(same.map(codeOf)).toEqual(same.map(() => undefined));
    const results = same.map(({ body }) => body.data.putContact);
    expect(new Set(results.map(({ contact }) => contact.id)).size).toBe(1);
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    const refs = ["x", "y"];
    await Promise.all(refs.map((ref) => client.put({ ref }, { token })));
    const addresses = [email("owned-1@example.com"), email("owned-2@example.com")];
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        at(i >> 1).put(
          { ref: refs[i % 2], addresses: i % 4 < 2 ? addresses : [...addresses].reverse() },
          { token },
        ),
      ),
    );
    const codes = new Set(replies.map(codeOf));
    expect(codes).toEqual(new Set([undefined, "conflict"]));
    const { nodes } = (await client.list({ search: "owned-1@example.com" }, { token })).body.data.contacts;
    expect(nodes).toHaveLength(1);
    expect(nodes[0].addresses).toHaveLength(2);
  });

  test("a key that is revoked during a call changes nothing afterwards", async () => {
    const { id: agentId, slug } = await addAgent(gateway);
    const key = await mint(gateway, { agent: slug });
    const calls = Array.from({ length: 20 }, (_, i) =>
      client.put({ ref: `late-${i}` }, { token: key.secret }),
    );
    await gateway.services.keys.revoke(await operator(gateway), key.id);
    const count = () =>
      gateway.rows.query("select count(*) as n from contact where agent_id = $1", [agentId]);
    const before = await count();
    const codes = (await Promise.all(calls)).map(codeOf);
    expect(codes.filter((code) => code !== undefined && code !== "key_revoked")).toEqual([]);
    expect(await count()).toEqual(before);
  });

  test("the tests select the whole contact, without the objects that it links to", async () => {
    const { body } = await gateway.graphql('{ __type(name: "Contact") { fields { name } } }');
    const names = body.data.__type.fields.map(({ name }: { name: string }) => name);
    const links = ["agent", "consents", "conversations", "decisions"];
    const selected = CONTACT.split(/\W+/);
    expect(names.filter((name: string) => !selected.includes(name)).sort()).toEqual(links);
  });
});
