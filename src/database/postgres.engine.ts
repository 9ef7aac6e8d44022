import type { PoolClient } from "pg";
import { type DataSource, type EntityManager, QueryFailedError, type QueryRunner } from "typeorm";
import { sha256 } from "../validation/sha256";
import {
  type Dialect,
  driverCode,
  type Engine,
  type Frame,
  type Manner,
  type Query,
  type Read,
  type Select,
  transact,
  type Unit,
} from "./engine";
import { isLost, PATIENT, PostgresConnections, SERVING } from "./postgres-connections";

/** SQLSTATE classes (PostgreSQL manual, appendix A) that say "not now": connection, deadlock, resources, operator. */
const UNAVAILABLE = /^(08|40|53|57|58)[0-9A-Z]{3}$|^25006$|^55P03$/;

const UNIQUE_VIOLATION = "23505";

/** Any number that no other user of the same server's advisory locks is likely to take. */
const EXCLUSIVE_LOCK = 7_236_418_905;
const ORDER_LOCK = 723_641;

const DIALECT: Dialect = { among: (column, parameter) => `${column} = ANY(${parameter})` };

const statements = new WeakMap<object, { name: string; text: string }>();

/** The text of a Select, and the name under which each connection keeps what it parsed. */
function statementOf<Row>(select: Select<Row>): { name: string; text: string } {
  const known = statements.get(select);
  if (known !== undefined) return known;
  const columns = Object.entries<string>(select.columns).map(([name, sql]) => `${sql} AS "${name}"`);
  const from = select.from(DIALECT);
  const places = [...from.matchAll(/\$(\d+)/g)].map(([, place]) => Number(place));
  const limit = select.limited ? ` LIMIT $${Math.max(0, ...places) + 1}` : "";
  const text = `SELECT ${columns} ${from}${limit}`;
  // The same name for the same text, also of other processes that a connection pooler gives the same connection.
  const statement = { name: `gateway_${sha256(text).slice(0, 32)}`, text };
  statements.set(select, statement);
  return statement;
}

/** PostgreSQL: a pool of connections; a read or a transaction takes whichever is free. */
export class PostgresEngine implements Engine {
  private constructor(private readonly connections: PostgresConnections) {}

  /** @param serving whether requests wait for the answers */
  static async open(source: DataSource, serving: boolean): Promise<PostgresEngine> {
    return new PostgresEngine(await PostgresConnections.open(source, serving ? SERVING : PATIENT));
  }

  select<Row>(queries: readonly Query<Row>[]): Promise<Row[][]> {
    return Promise.all(queries.map((query) => this.rows(query)));
  }

  read<T>(query: Read<T>): Promise<T> {
    return this.connections.forReading((runner) => query(runner.manager));
  }

  transaction<T>(unit: Unit<T>, { patient = false }: Manner = {}): Promise<T> {
    const limits = patient ? PATIENT : this.connections.limits;
    const whole: Unit<T> = async (tx) => {
      if (patient) await tx.query(`SET LOCAL statement_timeout = ${limits.statement}`);
      return unit(tx);
    };
    return this.connections.forTransaction(limits, (runner) =>
      transact(runner, { begin: "BEGIN", commit: () => commit(runner), rollback }, whole),
    );
  }

  exclusively<T>(unit: Unit<T>): Promise<T> {
    const alone: Unit<T> = async (tx) => {
      await tx.query("SELECT pg_advisory_xact_lock($1)", [EXCLUSIVE_LOCK]);
      return unit(tx);
    };
    return this.transaction(alone, { patient: true });
  }

  /** A sequence counts when a row is inserted, which others see at the commit: until then they wait. */
  async keepOrder(tx: EntityManager, list: number): Promise<void> {
    await tx.query("SELECT pg_advisory_xact_lock($1, $2)", [ORDER_LOCK, list]);
  }

  isUnavailable(error: unknown): boolean {
    return isLost(error) || UNAVAILABLE.test(driverCode(error) ?? "");
  }

  isConflict(error: unknown): boolean {
    return driverCode(error) === UNIQUE_VIOLATION;
  }

  close(): Promise<void> {
    return this.connections.close();
  }

  private rows<Row>({ select, parameters, limit }: Query<Row>): Promise<Row[]> {
    const { name, text } = statementOf(select);
    const values = limit === undefined ? [...parameters] : [...parameters, limit];
    return this.connections.forQuery(async (client) => {
      const { rows } = await client.query({ name, text, values }).catch((cause: Error) => {
        throw new QueryFailedError(text, [], cause);
      });
      return rows;
    });
  }
}

const rollback: Frame["rollback"] = (query) => query("ROLLBACK").catch(() => undefined);

/**
 * Commits. PostgreSQL answers a COMMIT after a failed statement with ROLLBACK and no error, which TypeORM hides:
 * a unit that went on after a failure would count as kept.
 */
async function commit(runner: QueryRunner): Promise<void> {
  const client: PoolClient = await runner.connect();
  const { command } = await client.query("COMMIT").catch((cause: Error) => {
    throw new QueryFailedError("COMMIT", undefined, cause);
  });
  if (command !== "COMMIT") throw new Error("The unit went on after one of its statements had failed.");
}
