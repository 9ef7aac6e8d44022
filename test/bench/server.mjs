import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeCommand } from "./pinning.mjs";

const FOLDER = fileURLToPath(new URL("contenders/", import.meta.url));
const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 15_000;

/** The line that names a server's port, in the format of contenders or of the product. */
const LISTENING = /^(?:listening (\d+)|GraphQL .*at http:\/\/127\.0\.0\.1:(\d+)\/graphql)$/m;

/**
 * Returns the arguments and the environment that start a contender with Node, for production and without request logs.
 */
export const commandOf = ({ entry, flags = [], env = {} }, databaseUrl, port = 0) => ({
  args: [...flags, resolve(FOLDER, entry)],
  env: {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_ENV: "production",
    DATABASE_URL: databaseUrl,
    PORT: String(port),
    ENVIRONMENT: "production",
    LOG_LEVEL: "warn",
    ...env,
  },
});

const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/**
 * Starts a contender and waits until it listens.
 * @param database a copy for this server, which is dropped when the server stops
 * @param options.execArgv arguments for node
 * @param options.ipc true to open a channel, for `--require`d helpers
 */
export async function startServer(contender, database, { execArgv = [], ipc = false } = {}) {
  const { args, env } = commandOf(contender, database.url);
  const child = spawn(...nodeCommand([...execArgv, ...args]), {
    env,
    stdio: ["ignore", "pipe", "pipe", ...(ipc ? ["ipc"] : [])],
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      said = (said + text).slice(-10_000);
    });
  }
  const port = await new Promise((resolve, reject) => {
    const failed = (why) => reject(new Error(`${contender.name} ${why}:\n${said}`));
    const timer = setTimeout(() => failed("did not start in time"), START_LIMIT_MS);
    const ended = (code, signal) => failed(`ended with ${code ?? signal} at its start`);
    child.once("exit", ended);
    child.stdout.on("data", () => {
      const found = LISTENING.exec(said);
      if (!found) return;
      clearTimeout(timer);
      child.off("exit", ended);
      resolve(Number(found[1] ?? found[2]));
    });
  });
  return {
    contender,
    port,
    pid: child.pid,
    child,
    databaseUrl: database.url,
    /** Returns the last output of the server, to explain a failure. */
    said: () => said,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
      child.kill("SIGTERM");
      await once(child, "exit");
      clearTimeout(timer);
      await database.drop();
    },
  };
}
