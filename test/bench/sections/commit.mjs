import { createRequire } from "node:module";
import { median } from "../stats.mjs";

const COMMITS = 500;

/**
 * Measures a durable commit on this disk (µs): one row in its own transaction, in WAL mode with `synchronous = FULL`. A
 * server that commits each write separately cannot write faster than this.
 */
export async function commit({ data }) {
  const Database = createRequire(new URL("../contenders/", import.meta.url))("better-sqlite3");
  const copy = await data.copy();
  const database = new Database(copy.url.replace(/^sqlite:/, ""));
  try {
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = FULL");
    const insert = database.prepare("INSERT INTO pet (name, category_id) VALUES (?, 1)");
    const times = Array.from({ length: COMMITS }, (_, i) => {
      const from = performance.now();
      insert.run(`Commit ${i}`);
      return (performance.now() - from) * 1000;
    }).sort((a, b) => a - b);
    return { commits: COMMITS, median: median(times), p99: times[Math.floor(COMMITS * 0.99)] };
  } finally {
    database.close();
    await copy.drop();
  }
}
