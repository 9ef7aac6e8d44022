import { operatorFor } from "../../src/auth/context";
import { leastUuidAt } from "../../src/common/uuid";
import { DecisionOutcome } from "../../src/features/decisions/decision.entity";
import type { DecisionsArgs } from "../../src/features/decisions/decision.inputs";
import { DecisionService } from "../../src/features/decisions/decision.service";
import { Planning } from "../../src/features/decisions/planning";
import type { Organization } from "../../src/features/organizations/organization.entity";
import { onEachEngine } from "../support/engines";
import { type LoggedDatabase, openLogged } from "../support/query-plans";

const ORGANIZATION = "01a1f000-0000-7000-8000-000000000001";
const AGENT = "01a1f000-0000-7000-8000-000000000002";
const CONTACT = leastUuidAt(7);
const DECISIONS = 6_000;
const START = Date.parse("2026-01-01T00:00:00Z");
const MINUTE_MS = 60_000;

onEachEngine((engine) => {
  let logged: LoggedDatabase;
  let service: DecisionService;
  beforeAll(async () => {
    logged = await openLogged(engine, ["decision"]);
    const { database } = logged;
    // Lists only read.
    service = new DecisionService(database, {} as never, new Planning(), {} as never);
    await database.write(async (tx) => {
      await tx.query(
        "insert into organization (id, slug, name, created_at) values ($1, 'o', 'O', '2026-01-01T00:00:00.000Z')",
        [ORGANIZATION],
      );
      await tx.query(
        "insert into agent (id, organization_id, slug, name, created_at) values ($1, $2, 'a', 'A', '2026-01-01T00:00:00.000Z')",
        [AGENT, ORGANIZATION],
      );
      await tx.query(
        "insert into contact (id, agent_id, version, created_at, updated_at) values ($1, $2, 1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')",
        [CONTACT, AGENT],
      );
      for (let from = 0; from < DECISIONS; from += 500) {
        const rows = Array.from({ length: 500 }, (_, i) => {
          const at = START + (from + i) * MINUTE_MS;
          const isRare = from + i === 0;
          const key = (from + i) % 10 === 0 ? `'A${(from + i) % 1_000}'` : "null";
          return `('${leastUuidAt(at)}', '${AGENT}', 'rules', 'decided', '${isRare ? "rare" : "usual"}', ${key}, ${isRare ? 2 : 1}, '{}', '[]',
            '${new Date(at).toISOString()}', '${leastUuidAt((from + i) % 50)}', 'silent', '${isRare ? "rare" : "usual"}', '{"now":"${"x".repeat(500)}"}')`;
        });
        await tx.query(
          `insert into decision (id, agent_id, decider, state, situation_type, situation_key, configuration_version, situation,
             effects, created_at, contact_id, outcome, rule_id, explanation) values ${rows}`,
        );
      }
      // SQLite plans without statistics, as in production.
      if (engine.name === "PostgreSQL") await tx.query("ANALYZE");
    });
  });
  afterAll(() => logged.close());

  const indexOn = (...columns: string[]) => logged.source.namingStrategy.indexName("decision", columns);
  const COVERING = ["agent_id", "id", "situation_type", "rule_id", "outcome", "configuration_version"];

  test.each<[string, Partial<DecisionsArgs>, () => string]>([
    ["a key", { key: "A10" }, () => "decision_keys"],
    [
      "a key, a type and a time",
      { key: "A10", type: "usual", since: new Date(START) },
      () => "decision_keys",
    ],
    ["a conversation", { conversationId: CONTACT }, () => indexOn("conversation_id", "id")],
    ["failures", { hasFailures: true }, () => "decision_failures"],
    ["a contact", { contactId: CONTACT }, () => indexOn("contact_id", "id")],
    ["a rare type", { type: "rare" }, () => indexOn(...COVERING)],
    ["a rare rule", { ruleId: "rare" }, () => indexOn(...COVERING)],
    ["a rare version", { version: 2 }, () => indexOn(...COVERING)],
    ["a rare outcome", { outcome: DecisionOutcome.handoff }, () => indexOn(...COVERING)],
  ])("decisions by %s are found by an index, in its order", async (_, args, index) => {
    logged.statements.length = 0;
    const context = operatorFor({ id: ORGANIZATION } as Organization);
    await service.list(context, {
      first: 20,
      after: null,
      agentId: AGENT,
      ...args,
    } as DecisionsArgs);
    const plan = await logged.planOf(logged.statements.findLast(({ query }) => /"decision"/.test(query)));
    expect(plan).toContain(index());
    expect(plan).not.toMatch(/TEMP B-TREE|Sort/);
  });
});
