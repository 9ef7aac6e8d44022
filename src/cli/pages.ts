import type { Command } from "commander";
import { query, type Run } from "./client";
import { printable } from "./output";
import { wholeNumber } from "./values";

/** Max items per page of the API. */
export const MAX_PAGE = 100;

/** Paging options of a list command. */
export interface PageOptions {
  limit?: number;
  after?: string;
  all?: boolean;
}

interface Connection<T> {
  readonly nodes: readonly T[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

export interface Page {
  first: number;
  after: string | null;
}

export const addPageOptions = (command: Command): Command =>
  command
    .option("--limit <n>", `max items to list; ${MAX_PAGE} if omitted`, wholeNumber(1, MAX_PAGE))
    .option("--after <cursor>", "list the page after this cursor, as printed by the previous page")
    .option("--all", "list everything");

/** Returns a function that reads a page of a connection. */
export const pagesOf = <T>(run: Run, field: string, parameters: string, fields: string, values: object) => {
  const document = query(
    field,
    `first: Int!, after: String, ${parameters}`,
    `nodes { ${fields} } pageInfo { hasNextPage endCursor }`,
  );
  return (page: Page) => run<Connection<T>>(document, { ...values, ...page });
};

/** Prints one page or all rows; if there are more, a note on standard error explains how to list them. */
export async function listPages<T>(
  { limit = MAX_PAGE, after, all }: PageOptions,
  read: (page: Page) => Promise<Connection<T>>,
  show: (rows: readonly T[]) => void,
): Promise<void> {
  const rows: T[] = [];
  let cursor = after ?? null;
  let more: boolean;
  do {
    const { nodes, pageInfo } = await read({ first: all ? MAX_PAGE : limit, after: cursor });
    for (const node of nodes) rows.push(node);
    // A faulty server may return the same page forever.
    more = pageInfo.hasNextPage && pageInfo.endCursor !== cursor;
    cursor = pageInfo.endCursor;
  } while (more && all);
  show(rows);
  if (!more) return;
  process.stderr.write(
    printable(`There are more items. Add --after ${cursor} for the next ${limit}, or --all.\n`),
  );
}
