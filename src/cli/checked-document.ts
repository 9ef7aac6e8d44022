import { StartupError } from "../errors";
import type { Problem } from "../features/configuration/document/problem";
import { printProblem, readDocument } from "./document-file";
import { printJson } from "./output";
import { nameOf } from "./text-file";

/** The result of checking a configuration document. */
export interface DocumentCheck {
  problems: readonly Problem[];
  warnings: readonly Problem[];
}

/**
 * Reads and checks a document, and prints its problems and warnings.
 * @param json true to print JSON for an invalid document, and nothing for a valid one
 * @throws StartupError for a document that cannot be published
 */
export async function checkedDocument<Check extends DocumentCheck>(
  file: string,
  json: boolean | undefined,
  check: (document: Record<string, unknown>) => Promise<Check>,
): Promise<{ document: Record<string, unknown>; result: Check }> {
  const document = await readDocument(file);
  const result = await check(document);
  const { problems, warnings } = result;
  if (!json) {
    for (const problem of problems) printProblem(file, document, problem);
    for (const warning of warnings) printProblem(file, document, warning, "warning: ");
  }
  if (problems.length === 0) return { document, result };
  if (json) printJson({ problems, warnings });
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  throw new StartupError(`${nameOf(file)} has ${count}`);
}
