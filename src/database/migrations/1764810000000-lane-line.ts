import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds the line whose sender a lane waits for. */
export class LaneLine1764810000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "lane" ADD COLUMN "line_id" varchar(36)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "lane" DROP COLUMN "line_id"');
  }
}
