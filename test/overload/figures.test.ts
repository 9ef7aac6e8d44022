import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

// The attacks are ES modules, which Jest cannot load, so Node's own runner tests what they have in common.
test("an attack is judged by what a client saw and what the server used", async () => {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const spec = join(__dirname, "figures.spec.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, ["--test", "--test-reporter=tap", spec], {
    env,
  });
  expect(stdout).toMatch(/^# pass [1-9]\d*$/m);
  expect(stdout).toMatch(/^# fail 0$/m);
});
