import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { slowTest } from "../support/slow-test";

// The benchmark consists of ES modules, which Jest cannot load, so Node's own runner tests it.
slowTest("the benchmark harness measures what it claims to measure", async () => {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const spec = join(__dirname, "harness.spec.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, ["--test", "--test-reporter=tap", spec], {
    env,
  });
  expect(stdout).toMatch(/^# pass [1-9]\d*$/m);
  expect(stdout).toMatch(/^# fail 0$/m);
});
