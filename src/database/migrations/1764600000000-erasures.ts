import { type MigrationInterface, type QueryRunner, Table } from "typeorm";

const ERASURE = {
  name: "erasure",
  columns: [
    { name: "contact_id", type: "varchar", length: "36", isPrimary: true },
    { name: "started_at", type: "varchar", length: "24", isNullable: false },
  ],
  foreignKeys: [
    { columnNames: ["contact_id"], referencedTableName: "contact", referencedColumnNames: ["id"] },
  ],
};

/** Adds what remembers unfinished erasures, and an index that counts an agent's queue without imported messages. */
export class Erasures1764600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(new Table(ERASURE));
    await runner.query(
      `CREATE INDEX "message_imported" ON "message" ("agent_id", "id") WHERE held_reason = 'imported'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX "message_imported"');
    await runner.dropTable("erasure");
  }
}
