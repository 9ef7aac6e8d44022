import {
  AuditLogDocument,
  type AuditLogQuery,
  type AuditLogQueryVariables,
} from "../api/documents.generated";
import { execute } from "../api/execute";
import { toCsv } from "./csv";
import type { Entry } from "./sentence";

/** As many as the gateway gives at once. */
const PAGE_SIZE = 100;

export type AuditFilter = Omit<AuditLogQueryVariables, "first" | "after">;

/**
 * Reads all entries that the filter lets through, page by page, however many there are.
 * @param onProgress told how many there are so far
 * @throws ApiError
 */
export async function readAll(
  filter: AuditFilter,
  signal: AbortSignal,
  onProgress: (count: number) => void,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  let after: string | null = null;
  do {
    const page: AuditLogQuery = await execute(
      AuditLogDocument,
      { ...filter, first: PAGE_SIZE, after },
      signal,
    );
    const { nodes, pageInfo } = page.auditLog;
    entries.push(...nodes);
    onProgress(entries.length);
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  } while (after !== null);
  return entries;
}

/** Has the browser save the entries as a file. */
export function saveAsCsv(entries: readonly Entry[], organization: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([toCsv(entries)], { type: "text/csv;charset=utf-8" }));
  link.download = `audit-log-${organization}-${new Date().toISOString().slice(0, 10)}.csv`;
  link.click();
  // Later, for the browser only now begins to read it.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
