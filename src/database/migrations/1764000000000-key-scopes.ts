import { type MigrationInterface, type QueryRunner, TableColumn } from "typeorm";

/** What a key may be used for, as a list; null, as for every key of before, means everything. */
export class KeyScopes1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.addColumn("api_key", new TableColumn({ name: "scopes", type: "text", isNullable: true }));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropColumn("api_key", "scopes");
  }
}
