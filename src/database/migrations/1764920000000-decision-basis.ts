import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds what must not have changed when the answer of a model arrives. */
export class DecisionBasis1764920000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "decision" ADD COLUMN "basis" text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "decision" DROP COLUMN "basis"');
  }
}
