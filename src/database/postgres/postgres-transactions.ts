import type { PoolClient, QueryResult } from "pg";
import { QueryFailedError, type QueryRunner } from "typeorm";
import { Mutex } from "../../common/mutex";
import { type TransactionBoundary, transact, type UnitOfWork } from "../engine";
import { queryPrepared } from "./prepared-statements";

/** Sets the isolation level explicitly, because units of work would fail with conflicts under a stricter default. */
export const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED";

export const BEGIN_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/** SQL that locks a whole list. */
export const LOCK_LIST = "SELECT pg_advisory_xact_lock($1, $2)";

/** Makes `run` run the statements of a query runner one at a time, as the driver requires. */
export async function serialize(runner: QueryRunner, run: typeof queryPrepared): Promise<void> {
  const client: PoolClient = await runner.connect();
  const statements = new Mutex();
  const query = (text: string, values?: unknown[]) =>
    statements.runExclusive(() => run(client, text, values));
  runner.connect = async () => ({ query });
}

export const queryOnce: typeof queryPrepared = (client, text, values) => client.query(text, values);

/** Runs a single-statement unit in two round trips: BEGIN and the list lock, if any; the statement and COMMIT. */
export async function transactInPairs<T>(
  runner: QueryRunner,
  begin: string,
  unit: UnitOfWork<T>,
): Promise<T> {
  const client: PoolClient = await runner.connect();
  const send = (text: string, values?: unknown[]) => {
    const answer = queryPrepared(client, text, values).catch((cause: Error) => {
      throw new QueryFailedError(text, values, cause);
    });
    // Prevents an unhandled rejection if the statement fails before it is awaited.
    answer.catch(() => undefined);
    return answer;
  };
  const begun = send(begin);
  let committed: Promise<QueryResult> | undefined;
  const query = async (text: string, values?: unknown[], isStructured = false): Promise<unknown[]> => {
    if (isStructured) throw new Error("A single-statement unit must run its statement through `tx.query`.");
    const locked = text === LOCK_LIST ? send(text, values) : undefined;
    // If the transaction failed to begin, the lock would be released immediately, and the statement would
    // commit on its own.
    await begun;
    if (locked !== undefined) return (await locked).rows;
    const answer = send(text, values);
    committed ??= send("COMMIT");
    return (await answer).rows;
  };
  Object.assign(runner, { query });
  const boundary: TransactionBoundary = {
    begin: undefined,
    commit: async () => {
      committed ??= send("COMMIT");
      assertCommitted(await committed);
    },
    // Rolls back even if the commit did not run, because the transaction is then still open.
    rollback: () => send("ROLLBACK").catch(() => undefined),
  };
  return transact(runner, boundary, unit);
}

export const rollback: TransactionBoundary["rollback"] = (query) => query("ROLLBACK").catch(() => undefined);

export async function commit(runner: QueryRunner): Promise<void> {
  const client: PoolClient = await runner.connect();
  const result = await client.query("COMMIT").catch((cause: Error) => {
    throw new QueryFailedError("COMMIT", undefined, cause);
  });
  assertCommitted(result);
}

/** After a failed statement, PostgreSQL answers COMMIT with ROLLBACK and no error; TypeORM hides that. */
function assertCommitted(result: QueryResult): void {
  if (result.command !== "COMMIT")
    throw new Error("The unit of work continued after one of its statements had failed.");
}
