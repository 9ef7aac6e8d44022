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
  maxWorkers: "100%",
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  setupFiles: ["reflect-metadata", "<rootDir>/test/support/cheap-passwords.ts"],
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
