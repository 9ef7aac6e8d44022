import type { Command } from "commander";
import { type Connection, MAX_PAGE } from "../pagination/connection";
import { wholeNumber } from "./whole-number";

/** Options of a list that may be long. */
export interface PageOptions {
  limit?: number;
  after?: string;
  all?: boolean;
}

export const addPageOptions = (command: Command): Command =>
  command
    .option("--limit <n>", `max items to list; ${MAX_PAGE} if omitted`, wholeNumber(1, MAX_PAGE))
    .option("--after <cursor>", "list the page after this cursor, as printed by the previous page")
    .option("--all", "list everything");

/**
 * Reads and prints one page or all rows. If there are more rows, a note on standard error says how to get them.
 * @param read reads one page
 * @param show prints the rows
 */
export async function listPages<T extends { id: string }>(
  { limit = MAX_PAGE, after, all }: PageOptions,
  read: (page: { first: number; after: string | null }) => Promise<Connection<T>>,
  show: (rows: readonly T[]) => void,
): Promise<void> {
  const rows: T[] = [];
  let cursor = after ?? null;
  let more: boolean;
  do {
    const { nodes, pageInfo } = await read({ first: all ? MAX_PAGE : limit, after: cursor });
    for (const node of nodes) rows.push(node);
    cursor = pageInfo.endCursor;
    more = pageInfo.hasNextPage;
  } while (more && all);
  show(rows);
  if (more) process.stderr.write(`There are more: add --after ${cursor} for the next ${limit}, or --all.\n`);
}
