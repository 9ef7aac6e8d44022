import { type MigrationInterface, type QueryRunner, Table } from "typeorm";

const INSTANCE_KEY_CHECK = {
  name: "instance_key_check",
  columns: [
    { name: "id", type: "integer", isPrimary: true },
    { name: "value", type: "varchar", length: "44", isNullable: false },
    { name: "created_at", type: "varchar", length: "24", isNullable: false },
  ],
};

/** Adds what identifies the key that signing secrets and sealed credentials depend on. */
export class InstanceKey1764800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(new Table(INSTANCE_KEY_CHECK));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable("instance_key_check");
  }
}
