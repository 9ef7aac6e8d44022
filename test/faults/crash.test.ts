import { execFile } from "node:child_process";
import { join } from "node:path";

const CRASH = join(__dirname, "crash.mjs");

/** A short run of `npm run test:crash`, in a separate process because it consists of ES modules. */
function crash(engine: string): Promise<string> {
  const { NODE_OPTIONS: _, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [CRASH, "--engine", engine, "--kills", "5"],
      { env },
      (error, stdout, stderr) => resolve(`${stdout}${stderr}ended with ${error === null ? 0 : error.code}`),
    );
  });
}

test.each(["sqlite", "postgres"])(
  "on %s whatever was answered outlives kills under load, once and whole",
  async (engine) => {
    const said = await crash(engine);
    expect(said).toMatch(/ended with 0$/);
    expect(said).toMatch(/^kills +5 /m);
    expect(said).toMatch(/^answered +[1-9]/m);
    for (const fault of ["lost", "doubled", "half", "other faults"]) {
      expect(said).toMatch(new RegExp(`^${fault} +0$`, "m"));
    }
  },
);
