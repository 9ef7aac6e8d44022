import { type MigrationInterface, type QueryRunner, Table, TableIndex } from "typeorm";

const text = (name: string, length: number, isNullable = false) => ({
  name,
  type: "varchar",
  length: String(length),
  isNullable,
});

const EARLY_RECEIPT = new Table({
  name: "early_receipt",
  columns: [
    { ...text("id", 36), isPrimary: true },
    text("agent_id", 36),
    text("line_id", 36),
    text("provider_id", 200),
    text("status", 16),
    text("at", 24),
    text("error_text", 500, true),
    text("created_at", 24),
    text("due_at", 24),
  ],
  indices: [{ columnNames: ["agent_id"] }],
});

const DECIDING = new TableIndex({
  name: "decision_deciding",
  columnNames: ["conversation_id"],
  where: "state = 'deciding'",
});

/** Adds what messages of contacts need. */
export class Inbound1764970000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "message" ADD COLUMN "omitted" varchar(500)');
    await runner.createTable(EARLY_RECEIPT);
    await runner.createIndex("decision", DECIDING);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex("decision", DECIDING);
    await runner.dropTable(EARLY_RECEIPT);
    await runner.query('ALTER TABLE "message" DROP COLUMN "omitted"');
  }
}
