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
const PRIMARY: Column = { isPrimary: true };
const NULLABLE: Column = { isNullable: true };

const references = (column: string, table: string) => ({
  columnNames: [column],
  referencedTableName: table,
  referencedColumnNames: ["id"],
});

const TABLES: readonly TableOptions[] = [
  {
    name: "contact",
    columns: [
      text("id", 36, PRIMARY),
      text("agent_id", 36),
      text("ref", 255, NULLABLE),
      text("name", 200, NULLABLE),
      text("locale", 35, NULLABLE),
      text("timezone", 64, NULLABLE),
      { name: "attributes", type: "text", default: "'{}'" },
      { name: "version", type: "integer" },
      text("created_at", 24),
      text("updated_at", 24),
      text("erased_at", 24, NULLABLE),
    ],
    foreignKeys: [references("agent_id", "agent")],
    indices: [
      { columnNames: ["agent_id", "ref"], isUnique: true },
      { name: "contact_listed", columnNames: ["agent_id", "id"], where: "erased_at IS NULL" },
    ],
  },
  {
    name: "contact_address",
    columns: [
      text("id", 36, PRIMARY),
      text("agent_id", 36),
      text("contact_id", 36),
      text("kind", 8),
      text("address", 254),
      text("opted_out_at", 24, NULLABLE),
    ],
    foreignKeys: [references("contact_id", "contact")],
    indices: [
      { columnNames: ["agent_id", "kind", "address"], isUnique: true },
      { columnNames: ["contact_id"] },
    ],
  },
  {
    name: "contact_tag",
    columns: [
      text("contact_id", 36, PRIMARY),
      text("tag", 50, PRIMARY),
      text("agent_id", 36),
      text("added_at", 24),
      text("added_by", 254),
    ],
    foreignKeys: [references("contact_id", "contact")],
    indices: [{ columnNames: ["agent_id", "tag", "contact_id"] }],
  },
  {
    name: "contact_term",
    columns: [text("contact_id", 36, PRIMARY), text("term", 255, PRIMARY), text("agent_id", 36)],
    foreignKeys: [references("contact_id", "contact")],
    indices: [{ columnNames: ["agent_id", "term", "contact_id"] }],
  },
];

/** Adds contacts with their addresses, their tags, and the terms by which a search finds them. */
export class Contacts1764300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.createTable(new Table(table));
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { name } of [...TABLES].reverse()) await runner.dropTable(name ?? "");
  }
}
