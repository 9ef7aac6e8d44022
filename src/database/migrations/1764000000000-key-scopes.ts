import { type MigrationInterface, type QueryRunner, TableColumn } from "typeorm";

/** Adds the scopes of a key, as a list; null, as in all existing keys, allows everything. */
export class KeyScopes1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.addColumn("api_key", new TableColumn({ name: "scopes", type: "text", isNullable: true }));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropColumn("api_key", "scopes");
  }
}
