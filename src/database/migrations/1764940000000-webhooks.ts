import { type MigrationInterface, type QueryRunner, Table, type TableColumnOptions } from "typeorm";

const column = (name: string, type: string, more: Partial<TableColumnOptions> = {}): TableColumnOptions => ({
  name,
  type,
  isNullable: false,
  ...more,
});
const text = (name: string, length: number, more?: Partial<TableColumnOptions>) =>
  column(name, "varchar", { length: String(length), ...more });
const OPTIONAL = { isNullable: true };
const PRIMARY = { isPrimary: true };

const ENDPOINT = {
  name: "webhook_endpoint",
  columns: [
    text("id", 36, PRIMARY),
    text("organization_id", 36),
    text("agent_id", 36, OPTIONAL),
    column("url", "text"),
    text("description", 200, OPTIONAL),
    column("types", "text", OPTIONAL),
    text("state", 16),
    text("disabled_reason", 16, OPTIONAL),
    text("failing_since", 24, OPTIONAL),
    column("secret_generation", "integer"),
    text("previous_until", 24, OPTIONAL),
    text("created_at", 24),
    text("updated_at", 24),
    text("deleted_at", 24, OPTIONAL),
  ],
  indices: [{ columnNames: ["organization_id"] }],
};

const cursor = (bigint: string) => ({
  name: "webhook_cursor",
  columns: [text("endpoint_id", 36, PRIMARY), text("agent_id", 36, PRIMARY), column("position", bigint)],
});

const delivery = (bigint: string) => ({
  name: "webhook_delivery",
  columns: [
    text("id", 36, PRIMARY),
    text("endpoint_id", 36),
    text("agent_id", 36),
    column("position", bigint),
    text("event_id", 36),
    text("type", 32),
    text("subject", 50),
    text("lane_id", 36),
    text("state", 16),
    column("attempts", "integer"),
    text("not_before", 24, OPTIONAL),
    column("last_status", "integer", OPTIONAL),
    column("last_error", "text", OPTIONAL),
    column("last_duration_ms", "integer", OPTIONAL),
    text("created_at", 24),
    text("delivered_at", 24, OPTIONAL),
  ],
  indices: [
    { columnNames: ["endpoint_id", "event_id"], isUnique: true },
    { columnNames: ["endpoint_id", "id"] },
    { columnNames: ["endpoint_id", "state", "id"] },
    { columnNames: ["lane_id", "state", "position"] },
    { columnNames: ["created_at"] },
  ],
});

/** Adds webhook endpoints, up to where each follows the events of agents, and the deliveries to them. */
export class Webhooks1764940000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const bigint = runner.connection.driver.normalizeType({ type: "bigint" });
    for (const table of [ENDPOINT, cursor(bigint), delivery(bigint)])
      await runner.createTable(new Table(table));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DELETE FROM lane WHERE kind = 'webhook'");
    for (const name of ["webhook_delivery", "webhook_cursor", "webhook_endpoint"])
      await runner.dropTable(name);
  }
}
