import { type MigrationInterface, type QueryRunner, Table, type TableColumnOptions } from "typeorm";

const text = (name: string, length: number, isNullable = false): TableColumnOptions => ({
  name,
  type: "varchar",
  length: String(length),
  isNullable,
});

const LINE = {
  name: "line",
  columns: [
    { ...text("id", 36), isPrimary: true },
    text("agent_id", 36),
    text("name", 63),
    text("kind", 16),
    text("address", 254, true),
    { name: "settings", type: "text", default: "'{}'" },
    { name: "credentials", type: "text", isNullable: true },
    { name: "secret_generation", type: "integer", default: "0" },
    text("previous_until", 24, true),
    text("state", 16),
    text("paused_reason", 200, true),
    { name: "rate_per_minute", type: "integer", isNullable: true },
    { name: "expire_after_seconds", type: "integer" },
    text("when_uncertain", 16),
    { name: "opt_out_reply", type: "text", isNullable: true },
    { name: "is_default", type: "boolean" },
    { name: "version", type: "integer" },
    text("created_at", 24),
  ],
  foreignKeys: [{ columnNames: ["agent_id"], referencedTableName: "agent", referencedColumnNames: ["id"] }],
  indices: [
    { columnNames: ["agent_id", "name"], isUnique: true },
    { name: "line_default", columnNames: ["agent_id"], isUnique: true, where: "is_default" },
  ],
};

/** Adds lines, with a default one for each agent, which takes the agent's ID: it is a UUID that no other line has. */
export class Lines1764200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(new Table(LINE));
    await runner.query(
      `INSERT INTO "line" (id, agent_id, name, kind, state, expire_after_seconds, when_uncertain, is_default, version, created_at)
       SELECT id, id, 'main', 'local', 'active', 259200, 'retry', true, 1, created_at FROM "agent"`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable("line");
  }
}
