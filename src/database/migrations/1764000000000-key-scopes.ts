import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds the scopes of a key, as a list; null, as in all existing keys, allows everything. */
export class KeyScopes1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "api_key" ADD COLUMN "scopes" text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "api_key" DROP COLUMN "scopes"`);
  }
}
