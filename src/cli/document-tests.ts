import { writeFile } from "node:fs/promises";
import { StartupError } from "../errors";
import { checkDocument } from "../features/configuration/document/check-document";
import { CompiledConfiguration } from "../features/configuration/document/compiled-configuration";
import type { ConfigurationDocument } from "../features/configuration/document/format";
import { gapsOf } from "../features/decisions/configuration-tests/coverage";
import { runTests } from "../features/decisions/configuration-tests/run-tests";
import { checkedDocument } from "./checked-document";
import { junitOf } from "./junit";
import { counted, type Json, print, printJson } from "./output";
import { nameOf } from "./text-file";

export interface TestOptions extends Json {
  junit?: string;
}

/** Runs a document's tests, prints failures and gaps in coverage, and throws a StartupError if a test fails. */
export async function test(file: string, { json, junit }: TestOptions): Promise<void> {
  const { result } = await checkedDocument(file, json, checkDocument);
  // `checkedDocument` throws for a document that could not be parsed.
  const parsed = result.document as ConfigurationDocument;
  const report = runTests(new CompiledConfiguration(parsed, true), parsed.tests ?? []);
  if (junit !== undefined) await writeFile(junit, junitOf(file, report));
  const { total, failed, differences, coverage } = report;
  if (json) {
    const results = report.results.map(({ testId, passed, ruleId, outcome }) => ({
      testId,
      passed,
      ruleId,
      outcome,
    }));
    printJson({ total, failed, differences, results, coverage });
  } else {
    for (const { testId, path, message } of differences)
      print(`${nameOf(file)}:${path}: ${testId}: ${message}`);
    for (const gap of gapsOf(coverage)) print(`${nameOf(file)}: warning: ${gap}`);
    if (failed === 0) print(`${total === 1 ? "The test passes" : `All ${total} tests pass`}.`);
  }
  if (failed > 0) throw new StartupError(`${failed} of ${counted(total, "test")} failed`);
}
