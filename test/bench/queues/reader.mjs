import { promisify } from "node:util";
import pg from "pg";
import sqlite3 from "sqlite3";

/** Opens a database to read it while servers are running. */
export async function openReader(url) {
  if (url.startsWith("sqlite:")) {
    const database = await new Promise((resolve, reject) => {
      const opened = new sqlite3.Database(url.slice("sqlite:".length), sqlite3.OPEN_READONLY, (error) =>
        error ? reject(error) : resolve(opened),
      );
    });
    return {
      rows: promisify(database.all.bind(database)),
      close: promisify(database.close.bind(database)),
    };
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    rows: async (sql, values) => (await client.query(sql, values)).rows,
    close: () => client.end(),
  };
}
