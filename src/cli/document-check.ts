import { StartupError } from "../errors";
import { checkDocument, type DocumentCheck } from "../features/configuration/document/check-document";
import { printProblem, readDocument } from "./document-file";
import { print, printJson } from "./output";

/** Checks a document without a database. */
export async function check(file: string, { json }: { json?: boolean }): Promise<void> {
  const { problems, warnings } = await checkedDocument(file, json);
  if (json) printJson({ problems, warnings });
  else print(`${file} is valid.`);
}

/**
 * Reads and checks a document, and prints its problems.
 * @param json true to print JSON instead of text, but only if the document is invalid
 * @throws StartupError for a document that cannot be published
 */
export async function checkedDocument(
  file: string,
  json: boolean | undefined,
  check: (document: unknown) => Promise<DocumentCheck> = checkDocument,
) {
  const document = await readDocument(file);
  const { problems, warnings, document: parsed } = await check(document);
  if (!json) {
    for (const problem of problems) printProblem(file, document, problem);
    for (const warning of warnings) printProblem(file, document, warning, "warning: ");
  }
  if (parsed !== undefined && problems.length === 0) return { document, parsed, problems, warnings };
  if (json) printJson({ problems, warnings });
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  throw new StartupError(`${file} has ${count}`);
}
