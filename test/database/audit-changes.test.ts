import { Database } from "../../src/database/database";
import { createDataSource } from "../../src/features";
import { AuditEntry } from "../../src/features/audit/audit-entry.entity";
import { closedAfterEach } from "../support/closing";
import { onEachEngine } from "../support/engines";
import { loadRelease } from "../support/released";

const HINT = "agk_dev_PWTCLzGa9eiB";

/** The columns of an entry as written by 1.0.0, and as read now. */
const ENTRIES: [action: string, detail: string | null, now: Partial<AuditEntry>][] = [
  [
    "api_key_renamed",
    `${HINT}, now newer, now "newest"\n日本`,
    {
      targetHint: HINT,
      changes: [{ field: "name", before: 'old, now "older"', after: 'newer, now "newest"\n日本' }],
      detail: null,
    },
  ],
  ["api_key_rotated", `${HINT}, grace of 90 s`, { targetHint: HINT, changes: [], detail: "grace of 90 s" }],
  ["api_key_created", HINT, { targetHint: HINT, changes: [], detail: null }],
  ["api_key_revoked", HINT, { targetHint: HINT, changes: [], detail: null }],
  ["api_key_created", null, { targetHint: null, changes: [], detail: null }],
  ["api_key_renamed", "something else", { targetHint: null, changes: [], detail: "something else" }],
  ["member_permissions_changed", "config:manage", { targetHint: null, changes: [], detail: "config:manage" }],
];

onEachEngine((engine) => {
  const keep = closedAfterEach();

  test("audit entries of 1.0.0 that describe a change as text have fields after the migration, or stay readable", async () => {
    const testDatabase = await keep(engine.createDatabase());
    await loadRelease(engine, testDatabase.url, 1);
    const database = await keep(Database.open(createDataSource(testDatabase.url)));
    for (const [i, [action, detail]] of ENTRIES.entries()) {
      await database.write((tx) =>
        tx.query(
          `INSERT INTO audit_entry (id, organization_id, action, actor_kind, actor_name, target_id, target_name, detail, count, created_at)
           VALUES ($1, 'upgraded', $2, 'operator', 'command line', 'x', $3, $4, 1, 'x')`,
          [String(i), action, 'old, now "older"', detail],
        ),
      );
    }
    await database.migrate();
    const entries = await database.read((reader) =>
      reader.find(AuditEntry, { where: { organizationId: "upgraded" }, order: { id: "ASC" } }),
    );
    expect(entries.map(({ targetHint, changes, detail }) => ({ targetHint, changes, detail }))).toEqual(
      ENTRIES.map(([, , now]) => now),
    );
  });
});
