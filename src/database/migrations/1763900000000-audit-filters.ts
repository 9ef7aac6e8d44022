import { type MigrationInterface, type QueryRunner, TableIndex } from "typeorm";

const TABLE = "audit_entry";
const index = (...columnNames: string[]) => new TableIndex({ columnNames });

/** One index per filter of the audit log, each within an organization and in list order. */
const ADDED = ["target_id", "actor_id", "action"].map((column) => ["organization_id", column, "id"] as const);
const REPLACED = ["target_id", "id"] as const;

export class AuditFilters1763900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const columns of ADDED) await runner.createIndex(TABLE, index(...columns));
    await drop(runner, REPLACED);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.createIndex(TABLE, index(...REPLACED));
    for (const columns of ADDED) await drop(runner, columns);
  }
}

const drop = (runner: QueryRunner, columns: readonly string[]) =>
  runner.dropIndex(TABLE, runner.connection.namingStrategy.indexName(TABLE, [...columns]));
