import { type MigrationInterface, type QueryRunner, Table, TableIndex } from "typeorm";

const LANE = {
  lease: "varchar(36)",
  lease_until: "varchar(24)",
};

const MESSAGE = {
  attempts: "integer NOT NULL DEFAULT 0",
  not_before: "varchar(24)",
  provider_id: "varchar(200)",
  error_text: "varchar(500)",
  read_at: "varchar(24)",
  updated_at: "varchar(24)",
};

const ATTEMPT = { line_id: "varchar(36)", code: "varchar(64)", detail: "varchar(500)" };

const PROVIDER_ID = `CREATE UNIQUE INDEX "message_provider_id" ON "message" ("line_id", "direction", "provider_id") WHERE provider_id IS NOT NULL`;

const TRAFFIC = {
  name: "line_traffic",
  columns: [
    { name: "line_id", type: "varchar", length: "36", isPrimary: true },
    { name: "rejections", type: "integer", isNullable: false },
    { name: "rate_per_minute", type: "integer", isNullable: false },
    { name: "next_at", type: "float", isNullable: false },
    { name: "queued_until", type: "float", isNullable: false },
  ],
  foreignKeys: [{ columnNames: ["line_id"], referencedTableName: "line", referencedColumnNames: ["id"] }],
};

/** Adds what sending to other systems needs: leases, attempts with their outcome, and the traffic of lines. */
export class Sending1764700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.dropIndex("lane", new TableIndex({ columnNames: ["wake_at"] }));
    const isSqlite = runner.connection.options.type === "sqlite";
    await runner.query(
      `ALTER TABLE "lane" ADD COLUMN "needs_sender" boolean NOT NULL DEFAULT ${isSqlite ? "(0)" : "false"}`,
    );
    for (const [table, columns] of Object.entries({
      lane: LANE,
      message: MESSAGE,
      delivery_attempt: ATTEMPT,
    }))
      for (const [name, type] of Object.entries(columns))
        await runner.query(`ALTER TABLE "${table}" ADD COLUMN "${name}" ${type}`);
    await runner.createIndex("lane", new TableIndex({ columnNames: ["needs_sender", "wake_at"] }));
    await runner.createIndex("delivery_attempt", new TableIndex({ columnNames: ["started_at"] }));
    await runner.query(PROVIDER_ID);
    await runner.createTable(new Table(TRAFFIC));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable("line_traffic");
    await runner.query('DROP INDEX "message_provider_id"');
    await runner.dropIndex("delivery_attempt", new TableIndex({ columnNames: ["started_at"] }));
    await runner.dropIndex("lane", new TableIndex({ columnNames: ["needs_sender", "wake_at"] }));
    for (const [table, columns] of Object.entries({
      lane: LANE,
      message: MESSAGE,
      delivery_attempt: ATTEMPT,
    }))
      for (const name of Object.keys(columns))
        await runner.query(`ALTER TABLE "${table}" DROP COLUMN "${name}"`);
    await runner.query('ALTER TABLE "lane" DROP COLUMN "needs_sender"');
    await runner.createIndex("lane", new TableIndex({ columnNames: ["wake_at"] }));
  }
}
