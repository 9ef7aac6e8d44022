import type { MigrationInterface, QueryRunner } from "typeorm";

const LAST_USE = { last_used_at: "varchar(24)", last_used_ip: "varchar(45)" };

/**
 * Lets the hourly counts of a key say when it was last used, so that its own row stays unchanged while it is in use. What
 * the row says is from then on about hours that were deleted.
 */
export class LastUses1764971000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [name, type] of Object.entries(LAST_USE))
      await runner.query(`ALTER TABLE "hourly_use" ADD COLUMN "${name}" ${type}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(LAST_USE))
      await runner.query(`ALTER TABLE "hourly_use" DROP COLUMN "${name}"`);
  }
}
