import { exec } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { sqlite } from "../support/engines";

test("a command whose reader closed the pipe prints nothing more and keeps its exit code, and a full disk ends it with one line", async () => {
  const database = await sqlite.createMigratedDatabase();
  const cli = `${JSON.stringify(process.execPath)} ${JSON.stringify(join(__dirname, "../../dist/src/cli/main.js"))}`;
  for (const [args, code] of [
    ["keys list --json", 0],
    ["--help", 0],
    [`configuration check ${JSON.stringify(join(__dirname, "../../package.json"))}`, 1],
  ] as const) {
    const { stdout, stderr } = await promisify(exec)(
      `{ ${cli} ${args}; echo "code $?" >&2; } | { exec <&-; sleep 0; }`,
      { env: { ...process.env, DATABASE_URL: database.url } },
    );
    expect({ args, stdout, stderr }).toEqual({
      args,
      stdout: "",
      stderr: expect.stringMatching(code === 0 ? /^code 0\n$/ : /^gateway: .*\ncode 1\n$/),
    });
  }
  if (existsSync("/dev/full")) {
    const full = promisify(exec)(`${cli} orgs list >/dev/full`, {
      env: { ...process.env, DATABASE_URL: database.url },
    });
    await expect(full).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^gateway: cannot write to standard output \(ENOSPC[^\n]*\n$/),
    });
  }
  await database.drop();
});
