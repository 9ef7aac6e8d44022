import { LRUCache } from "lru-cache";
import type { Database as Connection, Statement } from "sqlite3";

/** Max prepared statements; each uses a few KiB. */
const MAX_STATEMENTS = 300;

type Callback = (this: unknown, ...result: [error: Error | null, rows?: unknown[]]) => void;

/** Runs statements on one connection and keeps recent ones prepared: preparing takes as long as a short run. */
export class StatementCache {
  private readonly statements = new LRUCache<string, Statement>({
    max: MAX_STATEMENTS,
    dispose: (statement) => statement.finalize(),
  });
  /** Statements waiting for the running one; the driver itself would let a prepared COMMIT overtake them. */
  private readonly waiting: (() => void)[] = [];
  private isRunning = false;

  constructor(private readonly connection: Connection) {}

  run(sql: string, parameters: unknown, callback: Callback): void {
    this.inTurn(callback, (done) => {
      // `run` reads no rows, so a prepared statement that returns rows would stay open and block the commit.
      if (/\breturning\b/i.test(sql)) this.connection.run(numbered(sql), parameters, done);
      else this.prepared(sql, done).run(parameters, this.keeping(sql, done));
    });
  }

  all(sql: string, parameters: unknown, callback: Callback): void {
    this.inTurn(callback, (done) => this.prepared(sql, done).all(parameters, this.keeping(sql, done)));
  }

  /** Finalizes all statements, so that the connection can be closed. */
  clear(): void {
    this.statements.clear();
  }

  private inTurn(callback: Callback, start: (done: Callback) => void): void {
    const run = () => {
      this.isRunning = true;
      const ended = () => {
        this.isRunning = false;
        this.waiting.shift()?.();
      };
      start(function (...result) {
        // TypeORM reads the number of changed rows from `this`.
        callback.apply(this, result);
        ended();
      });
    };
    if (this.isRunning) this.waiting.push(run);
    else run();
  }

  /** Drops a failed statement, which SQLite may consider running (after a lock conflict) or interrupted. */
  private keeping(sql: string, done: Callback): Callback {
    const { statements } = this;
    return function (...result) {
      if (result[0] !== null) statements.delete(sql);
      done.apply(this, result);
    };
  }

  private prepared(sql: string, done: Callback): Statement {
    const known = this.statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.connection.prepare(numbered(sql), (error: Error | null) => {
      if (error === null) return;
      this.statements.delete(sql);
      done.call(statement, error);
    });
    this.statements.set(sql, statement);
    return statement;
  }
}

/** Replaces `$1` with `?1`, because SQLite searches a list for each name, which is slow in long statements. */
const numbered = (statement: string): string => statement.replace(/\$(\d+)/g, "?$1");
