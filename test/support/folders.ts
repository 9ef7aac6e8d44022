import { basename, join } from "node:path";
// Imported here, so that its command line host ends after the last test file.
import "./process";
import { checksum, loadTestFile } from "./tiers";

declare global {
  /** The test files of this run in each folder of `test/`, as selected by the configuration. */
  var TEST_FILES: Record<string, string[]>;
}

/**
 * Runs the test files of several folders as one suite: Jest evaluates all modules again for each suite, and cold code
 * needs one more second than warm code to start a gateway on each database.
 */
export function describeFolders(...folders: string[]): void {
  for (const folder of folders) for (const file of TEST_FILES[folder] ?? []) describeFile(folder, file);
}

/** Runs half of the test files of a folder as one suite, so that two suites share it. */
export function describeHalf(folder: string, half: 0 | 1): void {
  for (const file of TEST_FILES[folder] ?? []) if (checksum(file) % 2 === half) describeFile(folder, file);
}

function describeFile(folder: string, file: string): void {
  describe(`${folder}/${basename(file, ".test.ts")}`, () => {
    loadTestFile(join(__dirname, "..", folder, file));
  });
}
