import config from "./jest.config.mjs";

/** Suites that open browsers, kill processes, generate clients or upgrade old databases: most of a whole run's time. */
const SLOW = ["dashboard/", "faults/", "process/", "fuzz/", "clients/", "openapi/clients", "cli/backup"];

/** What to run while writing code: everything else, on SQLite alone. */
export default {
  ...config,
  testPathIgnorePatterns: [
    ...(config.testPathIgnorePatterns ?? []),
    ...SLOW.map((path) => `<rootDir>/test/${path}`),
  ],
  setupFiles: [...config.setupFiles, "<rootDir>/test/support/sqlite-alone.ts"],
};
