import { type MigrationInterface, type QueryRunner, Table, type TableColumnOptions } from "typeorm";

const text = (
  name: string,
  length: number,
  more: Omit<TableColumnOptions, "name" | "type" | "length"> = {},
): TableColumnOptions => ({ name, type: "varchar", length: String(length), ...more });

/** Adds invitations of members, and where a session was opened from. */
export class Invitations1764960000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(
      new Table({
        name: "invitation",
        columns: [
          text("id", 36, { isPrimary: true }),
          text("organization_id", 36),
          text("email", 254),
          { name: "permissions", type: "text" },
          text("token_hash", 64, { isUnique: true }),
          text("invited_by_id", 36, { isNullable: true }),
          text("invited_by", 254),
          text("created_at", 24),
          text("expires_at", 24),
        ],
        foreignKeys: [
          {
            columnNames: ["organization_id"],
            referencedTableName: "organization",
            referencedColumnNames: ["id"],
          },
        ],
        indices: [
          { columnNames: ["organization_id", "email"], isUnique: true },
          { columnNames: ["invited_by_id"] },
          { columnNames: ["expires_at"] },
        ],
      }),
    );
    await runner.query(`ALTER TABLE "session" ADD COLUMN "ip" varchar(45)`);
    await runner.query(`ALTER TABLE "session" ADD COLUMN "user_agent" varchar(200)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "session" DROP COLUMN "user_agent"`);
    await runner.query(`ALTER TABLE "session" DROP COLUMN "ip"`);
    await runner.dropTable("invitation");
  }
}
