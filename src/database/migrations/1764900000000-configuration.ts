import { type MigrationInterface, type QueryRunner, Table, type TableColumnOptions } from "typeorm";

const text = (name: string, length: number, isNullable = false): TableColumnOptions => ({
  name,
  type: "varchar",
  length: String(length),
  isNullable,
});

const integer = (name: string, isNullable = false): TableColumnOptions => ({
  name,
  type: "integer",
  isNullable,
});

const DOCUMENT: TableColumnOptions = { name: "document", type: "text", isNullable: false };

const OF_AGENT = {
  columnNames: ["agent_id"],
  referencedTableName: "agent",
  referencedColumnNames: ["id"],
};

const VERSION = {
  name: "configuration_version",
  columns: [
    { ...text("agent_id", 36), isPrimary: true },
    { ...integer("version"), isPrimary: true },
    DOCUMENT,
    text("digest", 64),
    text("note", 500, true),
    integer("restored_from", true),
    text("published_at", 24),
    text("published_by", 254),
  ],
  foreignKeys: [OF_AGENT],
};

const DRAFT = {
  name: "configuration_draft",
  columns: [
    { ...text("agent_id", 36), isPrimary: true },
    DOCUMENT,
    integer("revision"),
    integer("based_on"),
    text("updated_at", 24),
    text("updated_by", 254),
  ],
  foreignKeys: [OF_AGENT],
};

/** The configuration of agents that existed before: it does nothing. */
const EMPTY = '{"format":1}';
const DIGEST_OF_EMPTY = "3f0a99256beeb89a6b9f2793885291a6454928fd74903159ab2e51452b13df6f";

/** Adds the configurations of agents. */
export class Configuration1764900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of [VERSION, DRAFT]) await runner.createTable(new Table(table));
    await runner.query(
      `INSERT INTO configuration_version (agent_id, version, document, digest, published_at, published_by) SELECT id, 1, '${EMPTY}', '${DIGEST_OF_EMPTY}', created_at, 'gateway' FROM agent`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { name } of [DRAFT, VERSION]) await runner.dropTable(name);
  }
}
