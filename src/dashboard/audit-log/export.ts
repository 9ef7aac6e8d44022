import { execute } from "../api/execute";
import { saveFile } from "../ui/save-file";
import { toCsv } from "./csv";
import { AuditLogDocument, type AuditLogQuery, type AuditLogQueryVariables } from "./documents.generated";
import type { Entry } from "./sentence";

/** The server's max page size. The server's cost estimate counts fields even if `@include` excludes them. */
const MAX_PAGE_SIZE = 100;

export type AuditFilter = Omit<AuditLogQueryVariables, "first" | "after" | "named" | "counted">;

/**
 * Reads all entries that match the filter, page by page. Omits contacts' names, because the file would still
 * contain them after the contacts are erased.
 * @param onProgress called with the number of entries so far
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
      { ...filter, first: MAX_PAGE_SIZE, after, named: false, counted: false },
      signal,
    );
    const { nodes, pageInfo } = page.auditLog;
    entries.push(...nodes);
    onProgress(entries.length);
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  } while (after !== null);
  return entries;
}

/** Downloads the entries as a CSV file. */
export function saveAsCsv(entries: readonly Entry[], organization: string): void {
  const day = new Date().toISOString().slice(0, 10);
  saveFile(`audit-log-${organization}-${day}.csv`, "text/csv", toCsv(entries));
}
