import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
// Here, so that its command line host ends after the last test file.
import "./process";

/**
 * Runs the test files of a folder as one suite: Jest evaluates all modules anew for each suite, and cold code takes a
 * second more than warm code to start a gateway on each database.
 */
export function describeFolder(folder: string): void {
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".test.ts"))) {
    describe(basename(file, ".test.ts"), () => {
      require(join(folder, file));
    });
  }
}
