import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { sqlite } from "../support/engines";

/** Sends SIGTERM to npm alone, like a supervisor, or to the whole group, like a terminal. */
test.each([
  ["npm", (pid: number) => process.kill(pid, "SIGTERM")],
  ["its process group", (pid: number) => process.kill(-pid, "SIGTERM")],
])("SIGTERM to %s stops the server gracefully before npm start ends", async (_, terminate) => {
  const database = await sqlite.createMigratedDatabase();
  const { PATH, HOME } = process.env;
  // Skips the build at the start of `npm start`, because `npm test` has already built the program.
  const npm = spawn("npm", ["start", "--ignore-scripts"], {
    cwd: join(__dirname, "../.."),
    env: { PATH, HOME, DATABASE_URL: database.url, PORT: "0" },
    detached: true,
  });
  const { pid = 0 } = npm;
  try {
    let [stdout, stderr] = ["", ""];
    const listening = new Promise<void>((resolve) => {
      npm.stdout.on("data", (chunk) => {
        stdout += chunk;
        if (stdout.includes("/graphql\n")) resolve();
      });
    });
    npm.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    const exited = once(npm, "exit").then(([code]) => ({ code, stderr }));
    await Promise.race([listening, exited]);
    terminate(pid);
    expect(await exited).toEqual({ code: 0, stderr: expect.stringContaining('"stopped"') });
  } finally {
    // The group is gone unless the test has failed.
    try {
      process.kill(-pid, "SIGKILL");
    } catch {}
    await database.drop();
  }
});
