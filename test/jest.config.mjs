import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { foldersOf, SUITES } from "./support/suites.mjs";

const TEST = import.meta.dirname;

/**
 * The tests to run, as in support/tiers.ts. The `rest` is everything that `npm test` leaves out: files named
 * `*.full.test.ts`, slow tests, and suites for any engine on the second engine.
 */
const TIER = process.env.TEST_TIER ?? "default";

/** True if the command line names test files, which makes each of them a suite. */
const namesFiles = process.argv.slice(2).some((argument) => /^[^-].*[a-z]/i.test(argument));

const contains = (path, pattern) => pattern.test(readFileSync(path, "utf8"));
const isFull = (path) => path.endsWith(".full.test.ts");
const isForAny = (path) => contains(path, /engine: "any"|onAnyEngine\(|testOnAny\(/);

function runsInTier(path) {
  if (TIER === "all" || namesFiles) return true;
  if (TIER === "default") return !isFull(path);
  return isFull(path) || isForAny(path) || contains(path, /slowTest/);
}

const testFiles = readdirSync(TEST, { recursive: true })
  .filter((path) => path.endsWith(".test.ts") && !path.includes("node_modules"))
  .map((path) => join(TEST, path))
  .filter(runsInTier);
const folderOf = (path) => relative(TEST, dirname(path));
const filesByFolder = Object.fromEntries(
  SUITES.flatMap(foldersOf).map((folder) => [
    folder,
    testFiles.filter((path) => folderOf(path) === folder).map((path) => basename(path)),
  ]),
);
const hasTests = (suite) => foldersOf(suite).some((folder) => filesByFolder[folder].length > 0);

/** Packages that contain only ES modules, which Jest's CommonJS cannot load unchanged. */
const ES_MODULES = ["@marcbachmann/cel-js", "jose", "oauth4webapi", "oidc-provider", "openid-client"];

const TYPESCRIPT = {
  jsc: {
    target: "es2022",
    parser: { syntax: "typescript", decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
  module: { type: "commonjs" },
};
const JAVASCRIPT = { ...TYPESCRIPT, jsc: { target: "es2022", parser: { syntax: "ecmascript" } } };

// For the workers: more room for young objects saves a twelfth of the tests' CPU time.
process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ""} --max-semi-space-size=64`;

export default {
  rootDir: "..",
  testEnvironment: "<rootDir>/test/support/environment.mjs",
  testSequencer: "<rootDir>/test/support/sequencer.mjs",
  // Suites spend a quarter of their time waiting for processes, browsers and timeouts.
  maxWorkers: availableParallelism() + 1,
  testMatch: namesFiles
    ? testFiles
    : [...SUITES.filter(hasTests), ...testFiles.filter((path) => !(folderOf(path) in filesByFolder))],
  globals: { TEST_FILES: filesByFolder },
  setupFiles: [
    "reflect-metadata",
    "<rootDir>/test/support/cheap-passwords.ts",
    "<rootDir>/test/support/patient-database.ts",
  ],
  globalSetup: "<rootDir>/test/support/global-setup.ts",
  globalTeardown: "<rootDir>/test/support/global-teardown.ts",
  transform: {
    "\\.ts$": ["@swc/jest", TYPESCRIPT],
    [`/node_modules/(${ES_MODULES.join("|")})/.*\\.m?js$`]: ["@swc/jest", JAVASCRIPT],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${ES_MODULES.join("|")})/)`],
  // Tests rarely hang, and a test that is slow on a busy machine must not fail.
  testTimeout: 180_000,
  // The default of 500 ms is too short for a large process on a busy machine, and Jest then blames the tests.
  workerGracefulExitTimeout: 10_000,
  modulePathIgnorePatterns: ["<rootDir>/dist/"],
};
