import { allReturning } from "./returning";
import type { Tx } from "./unit-of-work";

/** A statement that changes rows. */
export interface Change {
  /** Parameters are numbered `$1`, `$2`, … in the order of their first use. */
  sql: string;
  parameters: readonly unknown[];
  /** Common table expressions that change rows and must therefore be at the top level. */
  with?: string;
}

/** Max parameters of a combined statement; longer ones save little time and have too many variants to prepare. */
const MAX_COMBINED_PARAMETERS = 64;

/**
 * Changes rows of different tables, in one statement if the database supports it.
 * @param changes a change may not read or write rows that another change writes; only the first change may return rows
 * @returns the rows of the first change
 */
export async function changeTogether<T>(tx: Tx, changes: readonly Change[]): Promise<T[]> {
  const [first, ...others] = changes;
  if (first === undefined) return [];
  const parameters = changes.flatMap((change) => change.parameters);
  if (!tx.hasWritableCtes || others.length === 0 || parameters.length > MAX_COMBINED_PARAMETERS) {
    const rows = await run<T>(tx, first);
    for (const change of others) await run(tx, change);
    return rows;
  }
  let before = 0;
  const parts = changes.map(({ with: parts, sql, parameters }, i) => {
    const offset = before;
    before += parameters.length;
    const all = `${parts === undefined ? "" : `${parts}, `}change_${i} as (${sql})`;
    return all.replace(/\$(\d+)/g, (_, number) => `$${Number(number) + offset}`);
  });
  const returned = /\breturning\b/i.test(first.sql) ? "select * from change_0" : "select where false";
  return allReturning(tx, `with ${parts.join(", ")} ${returned}`, parameters);
}

const run = <T>(tx: Tx, { with: parts, sql, parameters }: Change): Promise<T[]> =>
  allReturning(tx, parts === undefined ? sql : `with ${parts} ${sql}`, parameters);
