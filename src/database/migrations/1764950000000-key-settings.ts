import type { MigrationInterface, QueryRunner } from "typeorm";

const COLUMNS = {
  description: "varchar(500)",
  rate_limit_per_minute: "integer",
  allowed_networks: "text",
};

/** Adds description, rate limit and allowed networks of a key; null, as in all existing keys, limits nothing. */
export class KeySettings1764950000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [name, type] of Object.entries(COLUMNS))
      await runner.query(`ALTER TABLE "api_key" ADD COLUMN "${name}" ${type}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(COLUMNS))
      await runner.query(`ALTER TABLE "api_key" DROP COLUMN "${name}"`);
  }
}
