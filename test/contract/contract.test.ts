import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { slowTest } from "../support/slow-test";

// The check is an ES module, which Jest cannot load, so Node's own runner tests it.
slowTest("breaking changes are found, and must be named in the changelog", async () => {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const spec = join(__dirname, "breaks.spec.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, ["--test", "--test-reporter=tap", spec], {
    env,
  });
  expect(stdout).toMatch(/^# pass [1-9]\d*$/m);
  expect(stdout).toMatch(/^# fail 0$/m);
});
