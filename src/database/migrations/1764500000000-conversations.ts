import { type MigrationInterface, type QueryRunner, Table, type TableColumnOptions } from "typeorm";

const text = (name: string, length: number): TableColumnOptions => ({
  name,
  type: "varchar",
  length: String(length),
  isNullable: false,
});

const integer = (name: string): TableColumnOptions => ({ name, type: "integer", isNullable: false });

const references = (column: string, table: string) => ({
  columnNames: [column],
  referencedTableName: table,
  referencedColumnNames: ["id"],
});

const CONVERSATION = {
  name: "conversation",
  columns: [
    { ...text("id", 36), isPrimary: true },
    text("agent_id", 36),
    text("contact_id", 36),
    text("address_id", 36),
    text("line_id", 36),
    text("state", 8),
    text("handler", 8),
    integer("version"),
    integer("last_sequence"),
    text("created_at", 24),
    text("updated_at", 24),
  ],
  foreignKeys: [
    references("agent_id", "agent"),
    references("contact_id", "contact"),
    references("line_id", "line"),
  ],
  indices: [
    { columnNames: ["agent_id", "id"] },
    { columnNames: ["agent_id", "state", "id"] },
    { columnNames: ["contact_id", "id"] },
    {
      name: "conversation_open",
      columnNames: ["line_id", "address_id"],
      isUnique: true,
      where: "state = 'open'",
    },
  ],
};

const COLUMNS = {
  conversation_id: "varchar(36)",
  sequence: "integer",
  direction: "varchar(8) NOT NULL DEFAULT 'outbound'",
  author: "varchar(8) NOT NULL DEFAULT 'api'",
  fence: "integer",
};

const INDEXES = {
  message_in_conversation: ["UNIQUE INDEX", "conversation_id IS NOT NULL"],
  message_queue: ["INDEX", "conversation_id IS NOT NULL AND status IN ('queued', 'sending')"],
};

/** Adds conversations; the messages of before belong to none. */
export class Conversations1764500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(new Table(CONVERSATION));
    for (const [name, type] of Object.entries(COLUMNS))
      await runner.query(`ALTER TABLE "message" ADD COLUMN "${name}" ${type}`);
    for (const [name, [kind, rows]] of Object.entries(INDEXES))
      await runner.query(
        `CREATE ${kind} "${name}" ON "message" ("conversation_id", "sequence") WHERE ${rows}`,
      );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await runner.query(`DROP INDEX "${name}"`);
    for (const name of Object.keys(COLUMNS))
      await runner.query(`ALTER TABLE "message" DROP COLUMN "${name}"`);
    await runner.dropTable("conversation");
  }
}
