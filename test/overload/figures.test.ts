import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

// The attacks are ES modules, which Jest cannot load, so Node's own runner tests their shared code.
test("an attack is judged by the client's results and the server's resource usage", async () => {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const spec = join(__dirname, "figures.spec.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, ["--test", "--test-reporter=tap", spec], {
    env,
  });
  expect(stdout).toMatch(/^# pass [1-9]\d*$/m);
  expect(stdout).toMatch(/^# fail 0$/m);
});
