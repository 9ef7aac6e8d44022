import { execFile } from "node:child_process";
import { memoryFolder } from "./memory-folder";

/**
 * Runs a script of ES modules, which Jest cannot load.
 * @returns its output and exit code
 */
function run(...args: string[]): Promise<string> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  // The tests kill processes, not the machine, so their databases need not wait for the disk.
  const settings = { ...env, TMPDIR: memoryFolder(4e9) };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env: settings }, (error, stdout, stderr) =>
      resolve(`${stdout}${stderr}ended with ${error === null ? 0 : error.code}`),
    );
  });
}

/** Checks that all tests of a spec pass in Node's own runner. */
export async function expectPassed(spec: string): Promise<void> {
  const said = await run("--test", "--test-reporter=tap", spec);
  expect(said).toMatch(/^# pass [1-9]\d*$/m);
  expect(said).toMatch(/^# fail 0$/m);
  expect(said).toMatch(/ended with 0$/);
}

/**
 * Checks that a fault test finds no faults, and that its counts are not 0.
 * @returns its output
 */
export async function expectNoFaults(
  [script, ...options]: readonly [string, ...string[]],
  { faults, counts = [] }: { faults: readonly string[]; counts?: readonly string[] },
): Promise<string> {
  const said = await run(script, ...options);
  expect(said).toMatch(/ended with 0$/);
  for (const fault of faults) expect(said).toMatch(new RegExp(`^${fault} +0$`, "m"));
  for (const count of counts) expect(said).toMatch(new RegExp(`^${count} +[1-9]`, "m"));
  return said;
}
