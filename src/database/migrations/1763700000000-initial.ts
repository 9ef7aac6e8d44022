import {
  type MigrationInterface,
  type QueryRunner,
  Table,
  type TableColumnOptions,
  type TableOptions,
} from "typeorm";

type Column = Omit<TableColumnOptions, "name" | "type" | "length">;

const text = (name: string, length: number, more: Column = {}): TableColumnOptions => ({
  name,
  type: "varchar",
  length: String(length),
  ...more,
});
const id = (name = "id", more: Column = {}) => text(name, 36, more);
const moment = (name: string, more: Column = {}) => text(name, 24, more);

const PRIMARY: Column = { isPrimary: true };
const UNIQUE: Column = { isUnique: true };
const NULLABLE: Column = { isNullable: true };

const references = (column: string, table: string): NonNullable<TableOptions["foreignKeys"]>[number] => ({
  columnNames: [column],
  referencedTableName: table,
  referencedColumnNames: ["id"],
});
const index = (...columnNames: string[]) => ({ columnNames });

/**
 * Describes the tables.
 * @param bigint the database's name for an auto-incrementing int64 type
 */
const tables = (bigint: string): TableOptions[] => [
  {
    name: "organization",
    columns: [
      id("id", PRIMARY),
      text("slug", 63, UNIQUE),
      text("name", 200),
      moment("deactivated_at", NULLABLE),
      moment("created_at"),
    ],
  },
  {
    name: "agent",
    columns: [
      id("id", PRIMARY),
      id("organization_id"),
      text("slug", 63, UNIQUE),
      text("name", 200),
      moment("created_at"),
    ],
    foreignKeys: [references("organization_id", "organization")],
    indices: [index("organization_id")],
  },
  {
    name: "member",
    columns: [
      id("id", PRIMARY),
      id("organization_id"),
      text("email", 254, UNIQUE),
      text("password_hash", 200),
      { name: "permissions", type: "text" },
      moment("created_at"),
    ],
    foreignKeys: [references("organization_id", "organization")],
    indices: [index("organization_id")],
  },
  {
    name: "session",
    columns: [
      id("id", PRIMARY),
      id("member_id"),
      text("token_hash", 64, UNIQUE),
      moment("created_at"),
      moment("expires_at"),
    ],
    foreignKeys: [references("member_id", "member")],
    indices: [index("member_id"), index("expires_at")],
  },
  {
    name: "sign_in_throttle",
    columns: [text("bucket", 64, PRIMARY), { name: "attempts", type: "integer" }, moment("window_ends_at")],
    indices: [index("window_ends_at")],
  },
  {
    name: "api_key",
    columns: [
      id("id", PRIMARY),
      id("organization_id"),
      id("agent_id"),
      text("name", 100),
      text("held_name", 100, NULLABLE),
      { name: "search_text", type: "text" },
      text("hint", 40, UNIQUE),
      text("hash", 64, UNIQUE),
      moment("created_at"),
      text("created_by", 254, NULLABLE),
      moment("expires_at", NULLABLE),
      moment("revoked_at", NULLABLE),
      id("replaced_by_id", NULLABLE),
      moment("last_used_at", NULLABLE),
      text("last_used_ip", 45, NULLABLE),
    ],
    foreignKeys: [references("agent_id", "agent")],
    indices: [
      index("organization_id", "id"),
      index("agent_id", "id"),
      { ...index("agent_id", "held_name"), isUnique: true },
    ],
  },
  {
    name: "hourly_use",
    columns: [
      id("key_id", PRIMARY),
      moment("hour", PRIMARY),
      { name: "accepted", type: "integer" },
      { name: "refused", type: "integer" },
    ],
    indices: [index("hour")],
  },
  {
    name: "pet",
    columns: [
      { name: "id", type: bigint, isPrimary: true, isGenerated: true, generationStrategy: "increment" },
      text("name", 200),
      { name: "category_id", type: bigint },
      text("status", 16, NULLABLE),
    ],
    indices: [index("status", "id")],
  },
  {
    name: "message",
    columns: [
      id("id", PRIMARY),
      id("agent_id"),
      { name: "message", type: "text" },
      text("status", 16),
      moment("created_at"),
    ],
    foreignKeys: [references("agent_id", "agent")],
    indices: [index("agent_id", "id")],
  },
  {
    name: "audit_entry",
    columns: [
      id("id", PRIMARY),
      id("organization_id"),
      text("action", 40),
      text("actor_kind", 16),
      id("actor_id", NULLABLE),
      text("actor_name", 254),
      id("target_id"),
      text("target_name", 254),
      text("detail", 254, NULLABLE),
      text("ip", 45, NULLABLE),
      text("user_agent", 200, NULLABLE),
      text("request_id", 64, NULLABLE),
      { name: "count", type: "integer" },
      text("counted_as", 80, { ...NULLABLE, ...UNIQUE }),
      moment("created_at"),
    ],
    indices: [index("organization_id", "id"), index("target_id", "id")],
  },
  {
    name: "idempotency_record",
    columns: [
      text("scope", 80, PRIMARY),
      text("key", 64, PRIMARY),
      text("request_hash", 64),
      id("resource_id", NULLABLE),
      moment("created_at"),
    ],
    indices: [index("created_at")],
  },
];

/** The first schema, written in TypeORM's schema API so that it runs on both databases. */
export class Initial1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of describe(runner)) await runner.createTable(table);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { name } of describe(runner).reverse()) await runner.dropTable(name);
  }
}

function describe(runner: QueryRunner): Table[] {
  const bigint = runner.connection.driver.normalizeType({ type: "bigint" });
  return tables(bigint).map((options) => new Table(options));
}
