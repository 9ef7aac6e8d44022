import { execFile } from "node:child_process";
import { join } from "node:path";

const POLICY = join(__dirname, "policy.mjs");

jest.setTimeout(300_000);

test.each(["sqlite", "postgres"])(
  "on %s, killed processes send nothing outside of windows, beyond caps, out of order or after an opt-out",
  async (engine) => {
    const { NODE_OPTIONS: _, ...env } = process.env;
    const options = ["--engine", engine, "--processes", "2", "--rounds", "4", "--agents", "2"];
    const said = await new Promise<string>((resolve) => {
      execFile(process.execPath, [POLICY, ...options], { env }, (error, stdout, stderr) =>
        resolve(`${stdout}${stderr}ended with ${error === null ? 0 : error.code}`),
      );
    });
    expect(said).toMatch(/ended with 0$/);
    for (const fault of ["outside a window", "over a cap", "out of order", "too late", "opted out"])
      expect(said).toMatch(new RegExp(`^${fault} +0$`, "m"));
    for (const counted of ["sent", "held by windows", "opt-outs"])
      expect(said).toMatch(new RegExp(`^${counted} +[1-9]`, "m"));
  },
);
