import {
  type MigrationInterface,
  type QueryRunner,
  Table,
  TableIndex,
  type TableIndexOptions,
} from "typeorm";
import { index, unique } from "./version-two/columns";
import { newTables } from "./version-two/tables";

/** Columns that version 2 adds to tables of version 1. A null sets no limit, so existing keys keep all their rights. */
const NEW_COLUMNS: Record<string, Record<string, string>> = {
  agent: { deleted_at: "varchar(24)", purged_at: "varchar(24)", policy_version: "integer" },
  member: { name: "varchar(100)", is_email_self_chosen: "boolean NOT NULL DEFAULT FALSE" },
  session: {
    ip: "varchar(45)",
    user_agent: "varchar(200)",
    oidc_session: "varchar(64)",
    confirmed_at: "varchar(24)",
  },
  api_key: {
    scopes: "text",
    description: "varchar(500)",
    rate_limit_per_minute: "integer",
    allowed_networks: "text",
    original_expires_at: "varchar(24)",
    leaked_at: "varchar(24)",
    client_id: "varchar(500)",
    member_id: "varchar(36)",
  },
  hourly_use: { last_used_at: "varchar(24)", last_used_ip: "varchar(45)" },
  message: {
    line_id: "varchar(36)",
    held_reason: "varchar(32)",
    error_code: "varchar(32)",
    expires_at: "varchar(24)",
    sent_at: "varchar(24)",
    delivered_at: "varchar(24)",
    conversation_id: "varchar(36)",
    sequence: "integer",
    direction: "varchar(8) NOT NULL DEFAULT 'outbound'",
    author: "varchar(8) NOT NULL DEFAULT 'api'",
    fence: "integer",
    attempts: "integer NOT NULL DEFAULT 0",
    not_before: "varchar(24)",
    send_at: "varchar(24)",
    scheduled_reason: "varchar(8)",
    scheduled_by: "varchar(40)",
    proposed_text: "text",
    reviewed_at: "varchar(24)",
    waited_since: "varchar(24)",
    member_id: "varchar(36)",
    capped_contact_id: "varchar(36)",
    topic: "varchar(63)",
    is_urgent: "boolean NOT NULL DEFAULT FALSE",
    resent_as: "varchar(36)",
    provider_id: "varchar(200)",
    error_text: "varchar(500)",
    read_at: "varchar(24)",
    updated_at: "varchar(24)",
    decision_id: "varchar(36)",
    answered_address_id: "varchar(36)",
    omitted: "varchar(500)",
    subject: "varchar(500)",
    html: "text",
    quoted: "text",
    thread: "varchar(2000)",
  },
  audit_entry: { changes: "text NOT NULL DEFAULT '[]'", target_hint: "varchar(40)" },
};

const NEW_INDEXES: Record<string, TableIndexOptions[]> = {
  api_key: [
    {
      ...unique("organization_id", "held_name"),
      name: "organization_key_name",
      where: "agent_id IS NULL AND held_name IS NOT NULL",
    },
    { ...index("member_id"), name: "api_key_member", where: "member_id IS NOT NULL" },
  ],
  message: [
    index("agent_id", "status", "id"),
    {
      ...unique("conversation_id", "sequence"),
      name: "message_in_conversation",
      where: "conversation_id IS NOT NULL",
    },
    {
      ...index("answered_address_id", "created_at"),
      name: "message_answers",
      where: "answered_address_id IS NOT NULL",
    },
    {
      ...index("capped_contact_id", "sent_at"),
      name: "message_capped",
      where: "capped_contact_id IS NOT NULL",
    },
    {
      ...index("conversation_id", "sequence"),
      name: "message_queue",
      where: "conversation_id IS NOT NULL AND status IN ('queued', 'sending')",
    },
    {
      ...index("conversation_id", "id"),
      name: "message_unplaced",
      where: "conversation_id IS NOT NULL AND status IN ('scheduled', 'proposed')",
    },
    { ...index("agent_id", "id"), name: "message_imported", where: "held_reason = 'imported'" },
    {
      ...unique("line_id", "direction", "provider_id"),
      name: "message_provider_id",
      where: "provider_id IS NOT NULL",
    },
  ],
  session: [{ ...index("oidc_session"), name: "session_oidc_session", where: "oidc_session IS NOT NULL" }],
  audit_entry: [
    index("organization_id", "target_id", "id"),
    index("organization_id", "actor_id", "id"),
    index("organization_id", "action", "id"),
  ],
};
const DROPPED_INDEX = ["audit_entry", new TableIndex(index("target_id", "id"))] as const;

/** The empty configuration of agents created by version 1. */
const EMPTY = '{"format":1}';
const DIGEST_OF_EMPTY = "3f0a99256beeb89a6b9f2793885291a6454928fd74903159ab2e51452b13df6f";

/**
 * Upgrades version 1 to version 2. Until version 2 is released, this migration may change, each time with a new timestamp.
 */
export class VersionTwo1770000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of tables(runner)) await runner.createTable(table);
    // Runs first, because SQLite copies the table with its current columns.
    await requireAgents(runner, false);
    for (const [table, columns] of Object.entries(NEW_COLUMNS))
      for (const [name, type] of Object.entries(columns))
        await runner.query(
          `ALTER TABLE "${table}" ADD COLUMN "${name}" ${type.replace("FALSE", falseOf(runner))}`,
        );
    await runner.dropIndex(...DROPPED_INDEX);

    // Each agent's default line gets the agent's ID, a UUID that no other line has.
    await runner.query(
      `INSERT INTO "line" (id, agent_id, name, kind, state, expire_after_seconds, when_uncertain, is_default, version, created_at)
       SELECT id, id, 'main', 'local', 'active', 259200, 'retry', true, 1, created_at FROM "agent"`,
    );
    await runner.query(
      `INSERT INTO "configuration_version" (agent_id, version, document, digest, published_at, published_by)
       SELECT id, 1, '${EMPTY}', '${DIGEST_OF_EMPTY}', created_at, 'gateway' FROM "agent"`,
    );
    await runner.query(`UPDATE "api_key" SET original_expires_at = expires_at`);
    // Version 1 delivered nothing, and an upgrade must not send old messages.
    await runner.query(`UPDATE "message" SET held_reason = 'imported' WHERE status = 'queued'`);
    await separateAuditChanges(runner);
    // Last, because the updates above would add each changed row to every new index.
    for (const [table, options] of indexes()) await runner.createIndex(table, options);
  }

  async down(runner: QueryRunner): Promise<void> {
    const [deleted] = await runner.query(`SELECT id FROM "agent" WHERE "deleted_at" IS NOT NULL LIMIT 1`);
    if (deleted !== undefined)
      throw new Error("The migration cannot be reverted: version 1 would show deleted agents.");
    const [ofOrganization] = await runner.query(`SELECT id FROM "api_key" WHERE "agent_id" IS NULL LIMIT 1`);
    if (ofOrganization !== undefined)
      throw new Error("The migration cannot be reverted: version 1 has no organization keys.");
    await runner.createIndex(...DROPPED_INDEX);
    for (const [table, options] of indexes()) await runner.dropIndex(table, options);
    for (const [table, columns] of Object.entries(NEW_COLUMNS))
      for (const name of Object.keys(columns))
        await runner.query(`ALTER TABLE "${table}" DROP COLUMN "${name}"`);
    await requireAgents(runner, true);
    for (const { name } of tables(runner).reverse()) await runner.dropTable(name);
  }
}

/** Sets whether each key needs an agent; organization keys have none. */
async function requireAgents(runner: QueryRunner, isRequired: boolean): Promise<void> {
  const column = (await runner.getTable("api_key"))?.findColumnByName("agent_id");
  if (column === undefined) throw new Error("The table api_key has no column agent_id.");
  const changed = column.clone();
  changed.isNullable = !isRequired;
  await runner.changeColumn("api_key", column, changed);
}

const tables = (runner: QueryRunner): Table[] =>
  newTables(
    runner.connection.driver.normalizeType({ type: "bigint" }),
    falseOf(runner),
    // By default, SQLite compares text by its bytes.
    (columns) =>
      runner.connection.options.type === "postgres"
        ? columns.map((column) => ({ ...column, collation: "C" }))
        : columns,
  );

/** Returns the database's literal for false. */
const falseOf = ({ connection: { options } }: QueryRunner): string =>
  options.type === "postgres" ? "false" : "0";

const indexes = (): [table: string, TableIndex][] =>
  Object.entries(NEW_INDEXES).flatMap(([table, added]) =>
    added.map((options): [string, TableIndex] => [table, new TableIndex(options)]),
  );

/**
 * Moves the changes and the key's hint from `detail` to separate columns. Version 1 stored both as `<hint>`,
 * `<hint>, now <new name>` or `<hint>, grace of <n> s`. Other text stays in `detail`.
 */
async function separateAuditChanges(runner: QueryRunner): Promise<void> {
  const isPostgres = runner.connection.options.type === "postgres";
  const indexOf = isPostgres ? "strpos" : "instr";
  const hint = `substr(detail, 1, ${indexOf}(detail, ', ') - 1)`;
  const after = (separator: string) =>
    `substr(detail, ${indexOf}(detail, '${separator}') + ${separator.length})`;
  const change = `'field', 'name', 'before', target_name, 'after', ${after(", now ")}`;
  const changes = isPostgres
    ? `json_build_array(json_build_object(${change}))::text`
    : `json_array(json_object(${change}))`;
  const update = (assignments: string, action: string, detail: string) =>
    runner.query(
      `UPDATE "audit_entry" SET ${assignments} WHERE action = '${action}' AND detail LIKE '${detail}'`,
    );

  await update(
    `changes = ${changes}, target_hint = ${hint}, detail = NULL`,
    "api_key_renamed",
    "agk_%, now %",
  );
  await update(`target_hint = ${hint}, detail = ${after(", ")}`, "api_key_rotated", "agk_%, grace of % s");
  for (const action of ["api_key_created", "api_key_revoked"])
    await update("target_hint = detail, detail = NULL", action, "agk_%");
}
