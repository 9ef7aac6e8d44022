import { checkDocument } from "../features/configuration/document/check-document";
import { checkedDocument } from "./checked-document";
import { type Json, printResult } from "./output";
import { nameOf } from "./text-file";

/** Checks a document without a database. */
export async function check(file: string, { json }: Json): Promise<void> {
  const { result } = await checkedDocument(file, json, checkDocument);
  printResult(json, { problems: result.problems, warnings: result.warnings }, `${nameOf(file)} is valid.`);
}
