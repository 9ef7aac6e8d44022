import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const TEST = import.meta.dirname;

/** Whether the command line names no test files; if it does, each of them is a suite. */
const runsAll = !process.argv.slice(2).some((argument) => /^[^-].*[a-z]/i.test(argument));

/** Folders whose test files run as one suite. */
const folders = readdirSync(TEST).filter((folder) => existsSync(join(TEST, folder, "folder.suite.ts")));

/** Packages that are ES modules only: Jest's CommonJS cannot load them as they are. */
const ES_MODULES = ["@marcbachmann/cel-js"];

const TYPESCRIPT = {
  jsc: {
    target: "es2022",
    parser: { syntax: "typescript", decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
  module: { type: "commonjs" },
};
const JAVASCRIPT = { ...TYPESCRIPT, jsc: { target: "es2022", parser: { syntax: "ecmascript" } } };

export default {
  rootDir: "..",
  testEnvironment: "<rootDir>/test/support/environment.mjs",
  testSequencer: "<rootDir>/test/support/sequencer.mjs",
  maxWorkers: "100%",
  ...(runsAll
    ? {
        testMatch: ["<rootDir>/test/**/*.{test,suite}.ts"],
        testPathIgnorePatterns: [`<rootDir>/test/(${folders.join("|")})/[^/]+\\.test\\.ts$`],
      }
    : { testMatch: ["<rootDir>/test/**/*.test.ts"] }),
  setupFiles: ["reflect-metadata", "<rootDir>/test/support/cheap-passwords.ts"],
  setupFilesAfterEnv: ["<rootDir>/test/support/retry-in-ci.ts"],
  globalSetup: "<rootDir>/test/support/global-setup.ts",
  globalTeardown: "<rootDir>/test/support/global-teardown.ts",
  transform: {
    "\\.ts$": ["@swc/jest", TYPESCRIPT],
    [`/node_modules/(${ES_MODULES.join("|")})/.*\\.m?js$`]: ["@swc/jest", JAVASCRIPT],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${ES_MODULES.join("|")})/)`],
  testTimeout: 60_000,
  modulePathIgnorePatterns: ["<rootDir>/dist/"],
};
