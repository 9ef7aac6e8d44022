import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";

const ROOT = join(__dirname, "../..");
export const OWNER = { email: "owner@example.com", password: "correct horse battery staple" };

/** A gateway in a process of its own, as `npm start` runs it. */
export interface ServerProcess {
  url: string;
  /** Everything that it wrote to standard output. */
  output(): string;
  stop(): Promise<void>;
}

const environment = (databaseUrl: string, env: Record<string, string>) => ({
  PATH: process.env.PATH,
  DATABASE_URL: databaseUrl,
  PORT: "0",
  LOG_LEVEL: "error",
  BOOTSTRAP_OWNER_EMAIL: OWNER.email,
  BOOTSTRAP_OWNER_PASSWORD: OWNER.password,
  ...env,
});

/** Starts the built server on a free port and waits until it answers. `npm test` builds before it tests. */
export async function startServerProcess(
  databaseUrl: string,
  env: Record<string, string> = {},
): Promise<ServerProcess> {
  const child = spawn(process.execPath, ["dist/src/main.js"], {
    cwd: ROOT,
    env: environment(databaseUrl, env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  let output = "";
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      output += chunk;
      const address = /GraphQL and Apollo Sandbox at (\S+)\/graphql\n/.exec(output)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`The server ended with ${code}: ${errors}`)));
  });
  return { url, output: () => output, stop: () => stop(child, exited) };
}

async function stop(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.kill("SIGTERM");
  await exited;
}

/** Runs the built command line on a database. @returns what it prints with `--json` */
export async function runCli(databaseUrl: string, ...args: string[]) {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["dist/src/cli/main.js", ...args, "--json"],
    { cwd: ROOT, env: environment(databaseUrl, {}) },
  );
  return JSON.parse(stdout);
}
