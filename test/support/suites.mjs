import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../suites");

/** The suites that consist of the test files of folders. */
export const SUITES = readdirSync(FOLDER).map((file) => join(FOLDER, file));

/** Returns the folders of `test/` that belong to a suite; none for a test file. */
export const foldersOf = (suite) =>
  SUITES.includes(suite)
    ? [...readFileSync(suite, "utf8").matchAll(/"([\w-]+)"[,)]/g)].map(([, folder]) => folder)
    : [];
