import { execFile } from "node:child_process";
import { join } from "node:path";

const TIMERS = join(__dirname, "timers.mjs");

jest.setTimeout(300_000);

test.each(["sqlite", "postgres"])(
  "on %s, each timer that is due while processes are killed fires once",
  async (engine) => {
    const { NODE_OPTIONS: _, ...env } = process.env;
    const said = await new Promise<string>((resolve) => {
      execFile(
        process.execPath,
        [TIMERS, "--engine", engine, "--processes", "2", "--kills", "2", "--expire-leases"],
        { env },
        (error, stdout, stderr) => resolve(`${stdout}${stderr}ended with ${error === null ? 0 : error.code}`),
      );
    });
    expect(said).toMatch(/ended with 0$/);
    for (const fault of ["lost", "not fired", "fired twice", "not sent once"])
      expect(said).toMatch(new RegExp(`^${fault} +0$`, "m"));
    expect(said).toMatch(/^fired +[1-9]/m);
  },
);
