import { operatorFor } from "../../src/auth/context";
import { leastUuidAt } from "../../src/common/uuid";
import type { AuditLogArgs } from "../../src/features/audit/audit.inputs";
import { AuditService } from "../../src/features/audit/audit.service";
import { keyUsageActions } from "../../src/features/key-usage/key-usage.audit";
import { memberActions } from "../../src/features/members/member.audit";
import type { Organization } from "../../src/features/organizations/organization.entity";
import { onEachEngine } from "../support/engines";
import { type LoggedDatabase, openLogged } from "../support/query-plans";

const ORGANIZATION = "01a1f000-0000-7000-8000-000000000001";
const SOMEBODY = "01a1f000-0000-7000-8000-000000000002";
const ENTRIES = 5_000;
const START = Date.parse("2026-01-01T00:00:00Z");
const HOUR_MS = 60 * 60 * 1000;

onEachEngine((engine) => {
  let logged: LoggedDatabase;
  beforeAll(async () => {
    logged = await openLogged(engine);
    await logged.database.write(async (tx) => {
      for (let i = 0; i < ENTRIES; i++) {
        const at = START + i * HOUR_MS;
        const id = leastUuidAt(at);
        await tx.query(
          `insert into audit_entry (id, organization_id, action, actor_kind, actor_id, actor_name, target_id, target_name, count, created_at)
           values ($1, $2, $3, 'agent', $4, 'x', $5, 'x', 1, $6)`,
          [
            id,
            ORGANIZATION,
            "api_key_refused",
            leastUuidAt(i % 50),
            leastUuidAt(i % 50),
            new Date(at).toISOString(),
          ],
        );
      }
      await tx.query("ANALYZE");
    });
  });
  afterAll(() => logged.close());

  /** Returns the database's query plan for the entries. */
  async function planOf(args: Partial<AuditLogArgs>): Promise<string> {
    logged.statements.length = 0;
    const context = operatorFor({ id: ORGANIZATION } as Organization);
    await new AuditService(logged.database).list(context, {
      first: 20,
      after: null,
      ...args,
    } as AuditLogArgs);
    return logged.planOf(logged.statements.at(-1));
  }
  const indexOn = (...columns: string[]) =>
    logged.source.namingStrategy.indexName("audit_entry", ["organization_id", ...columns, "id"]);

  test.each<[string, Partial<AuditLogArgs>, string[]]>([
    ["a rare action", { action: memberActions.member_created }, ["action"]],
    ["an actor", { actorId: SOMEBODY }, ["actor_id"]],
    ["a target", { targetId: SOMEBODY }, ["target_id"]],
    ["actor and action", { actorId: SOMEBODY, action: keyUsageActions.api_key_refused }, ["actor_id"]],
    [
      "target, actor and action",
      { targetId: SOMEBODY, actorId: SOMEBODY, action: keyUsageActions.api_key_refused },
      ["target_id"],
    ],
  ])("entries by %s are found and sorted by one index", async (_, args, columns) => {
    const plan = await planOf(args);
    expect(plan).toContain(indexOn(...columns));
    expect(plan).not.toMatch(/sort|temp b-tree/i);
  });

  test("a time range limits the part of the index that is read", async () => {
    const since = new Date(START + 10 * HOUR_MS);
    const until = new Date(START + 12 * HOUR_MS);
    const plan = await planOf({ action: keyUsageActions.api_key_refused, since, until });
    const [condition = ""] = plan.match(engine.name === "SQLite" ? /\(.*\)/ : /Index Cond.*/) ?? [];
    expect(condition).toMatch(/\bid\)?(::text)? ?>/);
    expect(condition).toMatch(/\bid\)?(::text)? ?</);
  });
});
