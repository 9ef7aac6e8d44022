import { execute } from "../api/execute";
import { saveFile } from "../ui/save-file";
import { ExportContactDocument, type ExportContactQuery } from "./documents.generated";

/**
 * Saves everything that is stored about a contact as a JSON file.
 * @throws ApiError
 */
export async function exportContact(id: string): Promise<void> {
  const records: ExportContactQuery["exportContact"]["nodes"] = [];
  let after: string | null = null;
  do {
    const page: ExportContactQuery = await execute(ExportContactDocument, { id, after });
    const { nodes, pageInfo } = page.exportContact;
    records.push(...nodes);
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  } while (after !== null);
  saveFile(`contact-${id}.json`, "application/json", JSON.stringify(records, null, 2));
}
