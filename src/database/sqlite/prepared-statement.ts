import type { Database as Connection, Statement } from "sqlite3";

/** A SELECT on an SQLite connection, prepared on first use and cached. */
export class PreparedStatement {
  private prepared: Promise<Statement> | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly sql: string,
  ) {}

  /** Returns the columns of the only row, in order. */
  async row(parameters: readonly unknown[]): Promise<string[]> {
    this.prepared ??= this.prepare();
    const statement = await this.prepared;
    return new Promise((resolve, reject) => {
      statement.all<Record<string, string>>(parameters, (error, rows) => {
        if (error !== null) reject(error);
        else resolve(Object.values(rows[0] ?? {}));
      });
    });
  }

  async close(): Promise<void> {
    const statement = await this.prepared?.catch(() => undefined);
    if (statement !== undefined) await new Promise<void>((done) => statement.finalize(() => done()));
  }

  private prepare(): Promise<Statement> {
    return new Promise<Statement>((resolve, reject) => {
      const statement: Statement = this.connection.prepare(this.sql, (error: Error | null) => {
        if (error === null) return resolve(statement);
        this.prepared = undefined;
        reject(error);
      });
    });
  }
}
