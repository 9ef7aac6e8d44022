import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Client } from "pg";

/** Returns everything that a database stores, as text: SQLite's files, or every column of every PostgreSQL table. */
export async function storedText(databaseUrl: string): Promise<string> {
  return databaseUrl.startsWith("sqlite:")
    ? filesOf(databaseUrl.slice("sqlite:".length))
    : tablesOf(databaseUrl);
}

/** Includes the write-ahead log and the remains of deleted rows in the pages. */
async function filesOf(file: string): Promise<string> {
  // The adjacent instance key is not part of the database.
  const names = (await readdir(dirname(file))).filter(
    (name) => name.startsWith(basename(file)) && !name.endsWith(".key"),
  );
  const files = await Promise.all(names.map((name) => readFile(join(dirname(file), name), "latin1")));
  return files.join("\n");
}

async function tablesOf(connectionString: string): Promise<string> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query(`SELECT to_jsonb(t)::text AS row FROM ${name} t`);
      texts.push(name, ...rows.map(({ row }) => row));
    }
    return texts.join("\n");
  } finally {
    await client.end();
  }
}
