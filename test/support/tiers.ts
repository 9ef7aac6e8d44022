import { basename } from "node:path";

/** The tests to run: `default` for the tests of `npm test`, `rest` for the others, `all` for both. */
export const TIER = (process.env.TEST_TIER ?? "default") as "default" | "rest" | "all";

/** Jest's own `test`, even if `loadTestFile` replaces it. */
export const declareTest = globalThis.test;

/** Returns the number of generated cases to run: a fifth of them in `npm test`, a quarter in the rest. */
export const cases = (full: number): number => Math.ceil(full / { default: 5, rest: 4, all: 1 }[TIER]);

/** Returns the cases to run from a table: the given ones in `npm test`, and the others in the rest. */
export function casesOf<T>(table: readonly T[], inDefault: readonly T[]): readonly T[] {
  if (TIER === "all") return table;
  return TIER === "default" ? inDefault : table.filter((each) => !inDefault.includes(each));
}

/** Returns the cases to run from a table: the first fifth in `npm test`, and the others in the rest. */
export const someOf = <T>(table: readonly T[]): readonly T[] =>
  casesOf(table, table.slice(0, Math.ceil(table.length / 5)));

/** Returns a number that depends only on a string, to divide files by their names. */
export const checksum = (text: string): number =>
  [...text].reduce((sum, character) => sum + character.charCodeAt(0), 0);

let loading: string | undefined;

/** Returns the name of the test file that is being loaded, without its folder. */
export const testFile = (): string => loading ?? basename(expect.getState().testPath ?? "");

/** Declares tests, and runs all of them, even in `afterDefaultTier`. */
export const withAllTests = (declare: () => void): void => withTest(declareTest, declare);

function withTest(used: typeof test, declare: () => void): void {
  const before = globalThis.test;
  globalThis.test = used;
  try {
    declare();
  } finally {
    globalThis.test = before;
  }
}

/** Declares tests; the tier `rest` skips the tests of files that `npm test` runs. */
export function afterDefaultTier(declare: () => void): void {
  const onlySlow = TIER === "rest" && !testFile().endsWith(".full.test.ts");
  withTest(onlySlow ? (declareTest.skip as typeof test) : declareTest, declare);
}

/** Loads a test file as part of a suite. */
export function loadTestFile(path: string): void {
  loading = basename(path);
  try {
    afterDefaultTier(() => require(path));
  } finally {
    loading = undefined;
  }
}
