import sqlite3 from "sqlite3";
import { DataSource, type DataSourceOptions, type MigrationInterface } from "typeorm";
import { Agent } from "../features/agents/agent.entity";
import { ApiKey } from "../features/api-keys/api-key.entity";
import { AuditEntry } from "../features/audit/audit-entry.entity";
import { HourlyUse } from "../features/key-usage/hourly-use.entity";
import { Member } from "../features/members/member.entity";
import { Session } from "../features/members/session.entity";
import { SignInThrottle } from "../features/members/sign-in-throttle.entity";
import { Message } from "../features/messages/message.entity";
import { Organization } from "../features/organizations/organization.entity";
import { Pet } from "../features/pets/pet.entity";
import { IdempotencyRecord } from "../idempotency/idempotency-record.entity";
import { Initial1763700000000 } from "./migrations/1763700000000-initial";
import { AuditFilters1763900000000 } from "./migrations/1763900000000-audit-filters";
import { SnakeCaseNaming } from "./snake-case-naming";

type Migration = new () => MigrationInterface;

const model = {
  entities: [
    Organization,
    Agent,
    Member,
    Session,
    SignInThrottle,
    ApiKey,
    HourlyUse,
    Pet,
    Message,
    AuditEntry,
    IdempotencyRecord,
  ],
  migrations: [Initial1763700000000, AuditFilters1763900000000] as Migration[],
  migrationsTableName: "migration",
  namingStrategy: new SnakeCaseNaming(),
  synchronize: false,
  logging: false,
  // Otherwise `findOneBy({ id: undefined })` would answer with the first row of the table.
  invalidWhereValuesBehavior: { null: "throw", undefined: "throw" },
} as const satisfies Partial<DataSourceOptions>;

/** How long a statement of SQLite waits for another writer before it gives up (ms). */
export const WAIT_MS = 5_000;

/** How long to wait for a free connection to PostgreSQL, or for a new one, before giving up (ms). */
export const CONNECT_MS = 2_000;

/**
 * Describes, without connecting, how the service reaches its database.
 * @param url `sqlite:<file>` or `postgres://…`
 * @param poolSize most connections to PostgreSQL at a time; SQLite has one writer and one reader
 */
export function createDataSource(url: string, poolSize = 10): DataSource {
  if (!url.startsWith("sqlite:")) {
    return new DataSource({
      ...model,
      type: "postgres",
      url,
      poolSize,
      applicationName: "gateway",
      connectTimeoutMS: CONNECT_MS,
    });
  }
  const source = new DataSource({
    ...model,
    type: "sqlite",
    database: url.slice("sqlite:".length),
    busyTimeout: WAIT_MS,
    // TypeORM would have it take a stack trace of every call, with the values in it: what failed would show them.
    driver: { ...sqlite3, verbose: () => sqlite3 },
  });
  // SQLite spells int64 INTEGER, and AUTOINCREMENT takes no other spelling; TypeORM would write "bigint".
  const { driver } = source;
  const normalizeType = driver.normalizeType.bind(driver);
  driver.normalizeType = (column) => (column.type === "bigint" ? "integer" : normalizeType(column));
  return source;
}
