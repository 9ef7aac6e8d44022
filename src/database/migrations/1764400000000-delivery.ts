import {
  type MigrationInterface,
  type QueryRunner,
  Table,
  type TableColumnOptions,
  TableIndex,
} from "typeorm";

const text = (name: string, length: number, isNullable = false): TableColumnOptions => ({
  name,
  type: "varchar",
  length: String(length),
  isNullable,
});

const LANE = {
  name: "lane",
  columns: [
    { ...text("id", 36), isPrimary: true },
    text("agent_id", 36),
    text("kind", 16),
    text("wake_at", 24),
  ],
  indices: [{ columnNames: ["wake_at"] }, { columnNames: ["agent_id"] }],
};

const ATTEMPT = {
  name: "delivery_attempt",
  columns: [
    { ...text("message_id", 36), isPrimary: true },
    { name: "number", type: "integer", isPrimary: true },
    text("started_at", 24),
    text("ended_at", 24, true),
    text("outcome", 16, true),
  ],
  foreignKeys: [
    { columnNames: ["message_id"], referencedTableName: "message", referencedColumnNames: ["id"] },
  ],
};

const BY_STATUS = new TableIndex({ columnNames: ["agent_id", "status", "id"] });

const COLUMNS = {
  line_id: 36,
  held_reason: 32,
  error_code: 32,
  expires_at: 24,
  sent_at: 24,
  delivered_at: 24,
};

/** Adds delivery. Messages that were queued before stay held: an upgrade never sends an old message. */
export class Delivery1764400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(new Table(LANE));
    await runner.createTable(new Table(ATTEMPT));
    for (const [name, length] of Object.entries(COLUMNS))
      await runner.query(`ALTER TABLE "message" ADD COLUMN "${name}" varchar(${length})`);
    await runner.createIndex("message", BY_STATUS);
    await runner.query(`UPDATE "message" SET held_reason = 'imported' WHERE status = 'queued'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex("message", BY_STATUS);
    for (const name of Object.keys(COLUMNS))
      await runner.query(`ALTER TABLE "message" DROP COLUMN "${name}"`);
    await runner.dropTable("delivery_attempt");
    await runner.dropTable("lane");
  }
}
