import { type MigrationInterface, type QueryRunner, Table, type TableColumnOptions } from "typeorm";

const text = (name: string, length: number): TableColumnOptions => ({
  name,
  type: "varchar",
  length: String(length),
  isNullable: false,
});

const event = (bigint: string) => ({
  name: "event",
  columns: [
    { ...text("agent_id", 36), isPrimary: true },
    { name: "position", type: bigint, isNullable: false, isPrimary: true },
    text("id", 36),
    text("type", 32),
    text("subject", 50),
    { name: "data", type: "text", isNullable: false },
    text("created_at", 24),
  ],
  indices: [
    { name: "event_of_contact", columnNames: ["subject"], where: "type LIKE 'contact.%'" },
    { columnNames: ["created_at"] },
  ],
});

const stream = (bigint: string) => ({
  name: "agent_stream",
  columns: [
    { ...text("agent_id", 36), isPrimary: true },
    { name: "last", type: bigint, isNullable: false },
  ],
});

/** Adds the events of agents, with the position of the last one of each. */
export class Events1764930000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const bigint = runner.connection.driver.normalizeType({ type: "bigint" });
    for (const table of [event(bigint), stream(bigint)]) await runner.createTable(new Table(table));
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of ["agent_stream", "event"]) await runner.dropTable(name);
  }
}
