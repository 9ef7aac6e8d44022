import { type MigrationInterface, type QueryRunner, Table, type TableColumnOptions } from "typeorm";

const text = (name: string, length: number, isNullable = false): TableColumnOptions => ({
  name,
  type: "varchar",
  length: String(length),
  isNullable,
});

const json = (name: string, isNullable = false): TableColumnOptions => ({ name, type: "text", isNullable });

const DECISION = {
  name: "decision",
  columns: [
    { ...text("id", 36), isPrimary: true },
    text("agent_id", 36),
    text("contact_id", 36, true),
    text("conversation_id", 36, true),
    json("situation"),
    json("snapshot", true),
    { name: "configuration_version", type: "integer", isNullable: false },
    text("decider", 8),
    text("state", 8),
    text("outcome", 8, true),
    text("rule_id", 63, true),
    json("effects"),
    json("explanation", true),
    text("created_at", 24),
    text("decided_at", 24, true),
  ],
  foreignKeys: [{ columnNames: ["agent_id"], referencedTableName: "agent", referencedColumnNames: ["id"] }],
  indices: [["agent_id", "id"], ["conversation_id", "id"], ["contact_id", "id"], ["created_at"]].map(
    (columnNames) => ({ columnNames }),
  ),
};

const RULE_MATCH = {
  name: "rule_match",
  columns: [
    { ...text("subject_id", 36), isPrimary: true },
    { ...text("rule_id", 63), isPrimary: true },
    text("matched_at", 24),
  ],
  indices: [{ columnNames: ["matched_at"] }],
};

/** Adds the decisions of agents, and the messages' reference to them. */
export class Decisions1764910000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of [DECISION, RULE_MATCH]) await runner.createTable(new Table(table));
    await runner.query('ALTER TABLE "message" ADD COLUMN "decision_id" varchar(36)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "message" DROP COLUMN "decision_id"');
    for (const { name } of [RULE_MATCH, DECISION]) await runner.dropTable(name);
  }
}
