import { execFile } from "node:child_process";
import { join } from "node:path";

const CRASH = join(__dirname, "crash.mjs");

/**
 * Runs `npm run test:crash` with other options, in a separate process because it consists of ES modules.
 * @returns its output, after checking that nothing was lost, duplicated or incomplete
 */
async function crash(engine: string, ...options: string[]): Promise<string> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, [CRASH, "--engine", engine, ...options], { env }, (error, stdout, stderr) =>
      resolve(`${stdout}${stderr}ended with ${error === null ? 0 : error.code}`),
    );
  });
  expect(said).toMatch(/ended with 0$/);
  for (const fault of ["lost", "doubled", "half", "other faults"])
    expect(said).toMatch(new RegExp(`^${fault} +0$`, "m"));
  return said;
}

jest.setTimeout(300_000);

describe.each(["sqlite", "postgres"])("on %s", (engine) => {
  test("answered writes survive kills under load, complete and only once", async () => {
    const said = await crash(engine, "--only", "writes", "--kills", "3", "--expire-leases");
    expect(said).toMatch(/^kills +3 /m);
    expect(said).toMatch(/^answered +[1-9]/m);
    expect(said).toMatch(/^decisions +[1-9]/m);
  });

  test("messages arrive once and in order at webhooks even if their senders are killed", async () => {
    const options = ["--kills", "1", "--conversations", "20", "--messages", "5", "--freeze-seconds", "0"];
    const said = await crash(engine, "--only", "sends", ...options, "--expire-leases");
    expect(said).toMatch(/^webhooks +100 messages /m);
    expect(said).toMatch(/both 1,/);
  });
});
