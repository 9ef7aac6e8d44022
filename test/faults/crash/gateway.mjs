import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../../dist/src/main.js", import.meta.url));
const START_LIMIT_MS = 180_000;

export const OWNER = { email: "owner@example.com", password: "correct horse battery staple" };

const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/**
 * Starts the service on a database, and does not wait until it listens.
 * @returns `{ listening, kill, … }`
 */
export function spawnGateway(databaseUrl, settings = {}) {
  const child = spawn(process.execPath, [MAIN], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      PORT: "0",
      LOG_LEVEL: "error",
      INSTANCE_KEY: Buffer.alloc(32, "faults").toString("base64"),
      BOOTSTRAP_OWNER_EMAIL: OWNER.email,
      BOOTSTRAP_OWNER_PASSWORD: OWNER.password,
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  const ended = once(child, "close").finally(() => running.delete(child));
  let stdout = "";
  let stderr = "";
  createInterface({ input: child.stderr }).on("line", (line) => {
    // The database is unavailable on purpose.
    if (!line.endsWith('"msg":"unavailable"}')) stderr = `${stderr}${line}\n`.slice(-10_000);
  });
  const listening = new Promise((resolve, reject) => {
    const failed = (why) => reject(new Error(`the service ${why}:\n${stderr}`));
    const timer = setTimeout(() => failed("did not start in time"), START_LIMIT_MS);
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
      const url = /at (\S+)\/graphql\n/.exec(stdout)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      failed(`ended with ${code ?? signal}`);
    });
  });
  // A process that is killed during its start is never awaited.
  listening.catch(() => {});
  return {
    /** Resolves with the service's address when it accepts requests. */
    listening,
    /** The first key's secret, if this start created it. */
    firstKey: () => /^ *API key +(\S+) /m.exec(stdout)?.[1],
    signal: (signal) => child.kill(signal),
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    /** Its last output to standard error, without lines about 503 responses. */
    complaints: () => stderr,
    get hasEnded() {
      return child.exitCode !== null || child.signalCode !== null;
    },
  };
}
