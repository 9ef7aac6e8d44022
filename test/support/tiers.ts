import { basename } from "node:path";

/** Which tests run: `default` for those of `npm test`, `rest` for the others, `all` for both. */
export const TIER = (process.env.TEST_TIER ?? "default") as "default" | "rest" | "all";

/** Jest's own `test`, whatever `loadTestFile` puts in its place. */
export const declareTest = globalThis.test;

/** A number of generated cases; `npm test` runs a fifth. */
export const cases = (full: number): number => (TIER === "default" ? Math.ceil(full / 5) : full);

/** A number that depends on a text alone, to divide files by their names. */
export const checksum = (text: string): number =>
  [...text].reduce((sum, character) => sum + character.charCodeAt(0), 0);

let loading: string | undefined;

/** Name of the test file that is being loaded, without its folder. */
export const testFile = (): string => loading ?? basename(expect.getState().testPath ?? "");

/** Declares tests of which only the slow ones run. */
export function onlySlowTests(declare: () => void): void {
  const before = globalThis.test;
  globalThis.test = declareTest.skip as typeof test;
  try {
    declare();
  } finally {
    globalThis.test = before;
  }
}

/**
 * Loads a test file as a part of a suite.
 * @param onlySlow true if the other tests of the file have run in `npm test`, on every database
 */
export function loadTestFile(path: string, onlySlow: boolean): void {
  loading = basename(path);
  try {
    if (onlySlow) onlySlowTests(() => require(path));
    else require(path);
  } finally {
    loading = undefined;
  }
}
