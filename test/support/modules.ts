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

type Command = readonly [script: string, ...options: string[]];

/** The output that a fault test must have. */
interface Sound {
  /** Its counts of faults, which must be 0. */
  faults: readonly string[];
  /** Its counts that must not be 0. */
  counts?: readonly string[];
  says?: readonly RegExp[];
}

/** Checks that a fault test finds no faults, and that it tested something. */
export async function expectNoFaults([script, ...options]: Command, sound: Sound): Promise<void> {
  expectSound(await run(script, ...options), sound);
}

/** Declares a fault test on each database. Both run at the same time, because they wait more than they work. */
export function testFaultsOnEach(title: string, [script, ...options]: Command, sound: Sound): void {
  const runOn = (engine: string) => run(script, "--engine", engine, ...options);
  let runs: Record<string, Promise<string>> | undefined;
  test.each(["sqlite", "postgres"])(
    `on %s, ${title}`,
    async (engine) => {
      runs ??= { sqlite: runOn("sqlite"), postgres: runOn("postgres") };
      expectSound(await runs[engine], sound);
    },
    300_000,
  );
}

function expectSound(said: string | undefined, { faults, counts = [], says = [] }: Sound): void {
  expect(said).toMatch(/ended with 0$/);
  for (const fault of faults) expect(said).toMatch(new RegExp(`^${fault} +0$`, "m"));
  for (const count of counts) expect(said).toMatch(new RegExp(`^${count} +[1-9]`, "m"));
  for (const pattern of says) expect(said).toMatch(pattern);
}
