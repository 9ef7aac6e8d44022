import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const ROOT = join(__dirname, "../..");
export const OWNER = { email: "owner@example.com", password: "correct horse battery staple" };

/** Where the first start shows the first key. */
export const FIRST_KEY = /^ *API key +(\S+) /m;

/** A gateway in a process of its own, as `npm start` runs it. */
export interface ServerProcess {
  url: string;
  /** Everything that it wrote to standard output. */
  output(): string;
  /** Everything that it wrote to standard error. */
  errors(): string;
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
  return { url, output: () => output, errors: () => errors, stop: () => stop(child, exited) };
}

async function stop(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.kill("SIGTERM");
  await exited;
}

/** What a run of the command line came to. */
export interface CliRun {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the built command line on a database. @param input what it reads from standard input */
export function cli(databaseUrl: string, args: readonly string[], input = ""): Promise<CliRun> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ["dist/src/cli/main.js", ...args],
      { cwd: ROOT, env: environment(databaseUrl, {}) },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

/** As `cli` with `--json`. @returns what it prints @throws Error when it fails */
export async function runCli(databaseUrl: string, ...args: string[]) {
  const { code, stdout, stderr } = await cli(databaseUrl, [...args, "--json"]);
  if (code !== 0) throw new Error(`gateway ${args.join(" ")} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}
