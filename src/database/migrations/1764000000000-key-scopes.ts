import type { MigrationInterface, QueryRunner } from "typeorm";

/** The operations that a key is limited to, as a list; null, as for every earlier key, means all of them. */
export class KeyScopes1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "api_key" ADD COLUMN "scopes" text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "api_key" DROP COLUMN "scopes"`);
  }
}
