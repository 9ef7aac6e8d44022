import { basename, join } from "node:path";
// Here, so that its command line host ends after the last test file.
import "./process";
import { loadTestFile } from "./tiers";

declare global {
  /** The test files that this run has in each folder of `test/`; the configuration chooses them. */
  var TEST_FILES: Record<string, string[]>;
}

/**
 * Runs the test files of several folders as one suite: Jest evaluates all modules anew for each suite, and cold code
 * takes a second more than warm code to start a gateway on each database.
 */
export function describeFolders(...folders: string[]): void {
  for (const folder of folders) {
    for (const file of TEST_FILES[folder] ?? []) {
      describe(`${folder}/${basename(file, ".test.ts")}`, () => {
        loadTestFile(join(__dirname, "..", folder, file));
      });
    }
  }
}
