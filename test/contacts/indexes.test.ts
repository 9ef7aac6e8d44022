import pino from "pino";
import { operatorFor } from "../../src/auth/context";
import { leastUuidAt } from "../../src/common/uuid";
import { nextIds } from "../../src/database/next-ids";
import type { Consents } from "../../src/features/contacts/consents";
import { ContactConnection } from "../../src/features/contacts/contact.entity";
import type { ContactsArgs } from "../../src/features/contacts/contact.inputs";
import { ContactService } from "../../src/features/contacts/contact.service";
import { AddressKind } from "../../src/features/contacts/contact-address.entity";
import { Erasures } from "../../src/features/contacts/erasures";
import { lockContactsAt } from "../../src/features/contacts/known-contact";
import type { Organization } from "../../src/features/organizations/organization.entity";
import { HookRegistry } from "../../src/schema/hooks";
import { onEachEngine } from "../support/engines";
import { type LoggedDatabase, openLogged } from "../support/query-plans";

const ORGANIZATION = "01a1f000-0000-7000-8000-000000000001";
const AGENT = "01a1f000-0000-7000-8000-000000000002";
const OTHER_AGENT = "01a1f000-0000-7000-8000-000000000003";
const CONTACTS = 5_000;
const NOW = "2026-01-01T00:00:00.000Z";

onEachEngine((engine) => {
  let logged: LoggedDatabase;
  beforeAll(async () => {
    logged = await openLogged(engine);
    await logged.database.write(async (tx) => {
      await tx.query(
        `insert into organization (id, slug, name, created_at) values ('${ORGANIZATION}', 'o', 'O', '${NOW}')`,
      );
      for (const id of [AGENT, OTHER_AGENT])
        await tx.query(
          `insert into agent (id, organization_id, slug, name, created_at)
           values ('${id}', '${ORGANIZATION}', '${id.slice(-1)}', 'A', '${NOW}')`,
        );
      const rows = Array.from({ length: CONTACTS }, (_, i) => ({
        id: leastUuidAt(i + 1),
        agent: i % 50 === 0 ? AGENT : OTHER_AGENT,
        erased: i % 3 === 0 ? `'${NOW}'` : "NULL",
      }));
      const insert = (table: string, columns: string, values: (row: (typeof rows)[number]) => string) =>
        tx.query(`insert into ${table} (${columns}) values ${rows.map((row) => `(${values(row)})`)}`);
      await insert(
        "contact",
        "id, agent_id, version, created_at, updated_at, erased_at",
        ({ id, agent, erased }) => `'${id}', '${agent}', 1, '${NOW}', '${NOW}', ${erased}`,
      );
      await insert(
        "contact_tag",
        "contact_id, tag, agent_id, added_at, added_by",
        ({ id, agent }) => `'${id}', 'vip', '${agent}', '${NOW}', 'x'`,
      );
      await insert(
        "contact_term",
        "contact_id, term, agent_id",
        ({ id, agent }) => `'${id}', 'anna', '${agent}'`,
      );
      await tx.query(
        `insert into contact_term (contact_id, term, agent_id) values ('${leastUuidAt(2_001)}', '+41446681800', '${AGENT}')`,
      );
      await insert(
        "contact_address",
        "id, agent_id, contact_id, kind, address",
        ({ id, agent }) => `'${id}', '${agent}', '${id}', 'local', 'at ${id}'`,
      );
      await tx.query("ANALYZE");
    });
  });
  afterAll(() => logged.close());

  /** Returns the database's query plan for each statement of a page. */
  async function plansOf(args: Partial<ContactsArgs>): Promise<string[]> {
    logged.statements.length = 0;
    const context = operatorFor({ id: ORGANIZATION } as Organization);
    const list = { first: 20, after: null, agentId: AGENT, ...args } as ContactsArgs;
    const hooks = new HookRegistry();
    const erasures = new Erasures(logged.database, pino(), hooks);
    const service = new ContactService(logged.database, erasures, {} as Consents, hooks);
    expect((await service.list(context, list)).nodes.length).toBeGreaterThan(0);
    const pages = logged.statements.filter(({ query }) => /^SELECT.* FROM "?contact/s.test(query));
    return Promise.all(pages.map(logged.planOf));
  }
  const indexOn = (table: string, ...columns: string[]) =>
    logged.source.namingStrategy.indexName(table, columns);
  const after = new ContactConnection([{ id: leastUuidAt(1_000) } as never], { limit: 20, after: undefined })
    .pageInfo.endCursor;

  test.each<[string, Partial<ContactsArgs>, () => string]>([
    ["all", {}, () => "contact_listed"],
    ["with a tag", { tag: "vip" }, () => indexOn("contact_tag", "agent_id", "tag", "contact_id")],
  ])("a page of contacts, %s, is found and sorted by one index", async (_, args, index) => {
    for (const page of [args, { ...args, after }]) {
      const [plan = "", ...byId] = await plansOf(page);
      expect(plan).toContain(index());
      expect(plan).not.toMatch(/sort|temp b-tree|seq scan|\bSCAN\b(?!.*USING)/i);
      for (const each of byId) expect(each).not.toMatch(engine.name === "SQLite" ? /\bSCAN\b/ : /seq scan/i);
    }
  });

  test.each<[string, Partial<ContactsArgs>]>([
    ["the beginning of a word", { search: "Ann" }],
    ["a word, with a tag", { search: "Anna", tag: "vip" }],
    ["several words", { search: "Anna Ann" }],
    ["a phone number without a country code", { search: "044 668 18 00" }],
  ])("a search for %s reads only entries of the index", async (_, args) => {
    const index = indexOn("contact_term", "agent_id", "term", "contact_id");
    for (const page of [args, { ...args, after }]) {
      const [plan = ""] = await plansOf(page);
      expect(plan).toContain(index);
      expect(plan).not.toMatch(/seq scan|\bSCAN (entry|other|contact_tag)\b/i);
      // Each term is a range of the index, so entries are not compared one by one.
      expect(plan).toMatch(/term.*<.*|term>\? AND term<\?/);
    }
  });

  test("contacts are found and locked at their addresses by indexes", async () => {
    const at = (i: number) => ({ kind: AddressKind.local, address: `at ${leastUuidAt(i)}` });
    const lock = () =>
      logged.database.write((tx) =>
        lockContactsAt(
          tx,
          [1, 51, 52].map((i) => ({ agentId: AGENT, address: at(i) })),
        ),
      );
    await logged.expectIndexes(lock, { reads: /FROM "contact"/ });
    expect((await lock()).map((each) => each?.contact.id)).toEqual([
      leastUuidAt(1),
      leastUuidAt(51),
      undefined,
    ]);
  });

  test("a new contact's ID is created from the agent's last contact, which an index finds", async () => {
    logged.statements.length = 0;
    await logged.database.write((tx) => nextIds(tx, "contact", [{ agentId: AGENT }]));
    const plan = await logged.planOf(logged.statements.find(({ query }) => query.includes("with writing")));
    expect(plan).toContain("contact_listed");
    expect(plan).not.toMatch(/sort|temp b-tree|seq scan on contact/i);
  });
});
