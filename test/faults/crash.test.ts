import { execFile } from "node:child_process";
import { join } from "node:path";

const CRASH = join(__dirname, "crash.mjs");

/** A short run of `npm run test:crash`, in a separate process because it consists of ES modules. */
function crash(engine: string, ...options: string[]): Promise<string> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(process.execPath, [CRASH, "--engine", engine, ...options], { env }, (error, stdout, stderr) =>
      resolve(`${stdout}${stderr}ended with ${error === null ? 0 : error.code}`),
    );
  });
}

test.each(["sqlite", "postgres"])(
  "on %s whatever was answered outlives kills under load, once and whole",
  async (engine) => {
    const said = await crash(engine, "--only", "writes", "--kills", "5");
    expect(said).toMatch(/ended with 0$/);
    expect(said).toMatch(/^kills +5 /m);
    expect(said).toMatch(/^answered +[1-9]/m);
    expect(said).toMatch(/^decisions +[1-9]/m);
    expectSound(said);
  },
);

test.each(["sqlite", "postgres"])(
  "on %s messages arrive once and in order at webhooks, although the processes that send them are killed",
  async (engine) => {
    const options = ["--kills", "2", "--conversations", "20", "--messages", "5", "--freeze-seconds", "0"];
    const said = await crash(engine, "--only", "sends", ...options, "--expire-leases");
    expect(said).toMatch(/ended with 0$/);
    expect(said).toMatch(/^webhooks +100 messages /m);
    expect(said).toMatch(/both 2,/);
    expectSound(said);
  },
);

function expectSound(said: string): void {
  for (const fault of ["lost", "doubled", "half", "other faults"]) {
    expect(said).toMatch(new RegExp(`^${fault} +0$`, "m"));
  }
}
