import { execFile } from "node:child_process";
import { join } from "node:path";

const REVIEWS = join(__dirname, "reviews.mjs");

jest.setTimeout(300_000);

test.each(["sqlite", "postgres"])(
  "on %s, proposed messages are sent once and as approved, even while processes are killed",
  async (engine) => {
    const { NODE_OPTIONS: _, ...env } = process.env;
    const said = await new Promise<string>((resolve) => {
      execFile(
        process.execPath,
        [REVIEWS, "--engine", engine, "--processes", "2", "--rounds", "24"],
        { env },
        (error, stdout, stderr) => resolve(`${stdout}${stderr}ended with ${error === null ? 0 : error.code}`),
      );
    });
    expect(said).toMatch(/ended with 0$/);
    for (const fault of ["sent twice", "sent, not approved", "another text", "no end"])
      expect(said).toMatch(new RegExp(`^${fault} +0$`, "m"));
    expect(said).toMatch(/^sent +[1-9]/m);
  },
);
