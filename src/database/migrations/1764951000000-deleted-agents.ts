import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds when an agent was deleted, and when its rows were found to be gone. */
export class DeletedAgents1764951000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "agent" ADD COLUMN "deleted_at" varchar(24)`);
    await runner.query(`ALTER TABLE "agent" ADD COLUMN "purged_at" varchar(24)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    // To an older version they would be there.
    const [deleted] = await runner.query(`SELECT id FROM "agent" WHERE "deleted_at" IS NOT NULL LIMIT 1`);
    if (deleted !== undefined) throw new Error("An older version would show deleted agents.");
    await runner.query(`ALTER TABLE "agent" DROP COLUMN "purged_at"`);
    await runner.query(`ALTER TABLE "agent" DROP COLUMN "deleted_at"`);
  }
}
