import { type ChildProcess, type ChildProcessWithoutNullStreams, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestDatabase, TestEngine } from "./engines";

/** The built program; `npm test` builds it first. */
const DIST = join(__dirname, "../../dist/src");

/** The result of a process. */
export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A process without this process's settings. */
export interface TestProcess {
  pid: number;
  stdout(): string;
  stderr(): string;
  /**
   * Resolves as soon as an output contains the text.
   * @throws Error if the process ends first
   */
  until(output: "stdout" | "stderr", text: string): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  ended: Promise<Ended>;
}

const running = new Set<ChildProcessWithoutNullStreams>();

/** Kills the processes that a failed test has left running; for `afterEach`. */
export async function endProcesses(): Promise<void> {
  const left = [...running];
  for (const child of left) child.kill("SIGKILL");
  await Promise.all(left.map((child) => running.has(child) && once(child, "close")));
}

/**
 * Creates a database for each test of a suite; processes on it are ended before it is dropped. Call it at the top of a
 * suite.
 * @param options.empty true for suites about the first start; by default, its tables exist
 */
export function databaseForEach(engine: TestEngine, { empty = false } = {}): TestDatabase {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await (empty ? engine.createDatabase() : engine.createMigratedDatabase());
  });
  afterEach(async () => {
    await endProcesses();
    await database.drop();
  });
  return {
    get url() {
      return database.url;
    },
    drop: () => database.drop(),
  };
}

function start(
  script: string,
  args: string[],
  env: Record<string, string>,
  { input = "", shell }: { input?: string; shell?: string } = {},
): TestProcess {
  const { PATH = "", HOME = "" } = process.env;
  const command = [process.execPath, join(DIST, script), ...args];
  const [program = "", ...rest] = shell === undefined ? command : ["sh", "-c", shell, ...command];
  // Runs outside the repository, so that the default database is not the developer's.
  const child = spawn(program, rest, { env: { PATH, HOME, ...env }, cwd: tmpdir() });
  running.add(child);
  child.stdin.on("error", () => undefined).end(input);
  const outputs = { stdout: "", stderr: "" };
  for (const output of ["stdout", "stderr"] as const) {
    child[output].setEncoding("utf8").on("data", (chunk: string) => {
      outputs[output] += chunk;
    });
  }
  const ended = once(child, "close").then(([code, signal]): Ended => {
    running.delete(child);
    return { code, signal, ...outputs };
  });
  return {
    pid: child.pid ?? 0,
    stdout: () => outputs.stdout,
    stderr: () => outputs.stderr,
    signal: (signal) => void child.kill(signal),
    ended,
    until: async (output, text) => {
      while (!outputs[output].includes(text)) {
        const end = await Promise.race([once(child[output], "data").then(() => undefined), ended]);
        if (end !== undefined && !outputs[output].includes(text)) {
          throw new Error(`ended with ${end.code} before it said "${text}": ${end.stderr}`);
        }
      }
    },
  };
}

/**
 * Spawns a server, which may not have started yet.
 * @param options.shell a shell command to run first; it ends with `exec "$0" "$@"`, which runs the server
 */
export const spawnServer = (env: Record<string, string>, options?: { shell: string }): TestProcess =>
  start("main.js", [], { PORT: "0", ...env }, options);

/** Runs the server until it exits, for starts that fail. */
export const runServer = (env: Record<string, string>): Promise<Ended> => spawnServer(env).ended;

/** A listening server. */
export interface TestServer extends TestProcess {
  url: string;
  /**
   * Asks the server to stop.
   * @returns the result of its process
   */
  stop(): Promise<Ended>;
}

/** Starts the server on a free port and waits until it prints its address. */
export async function startServer(env: Record<string, string>): Promise<TestServer> {
  const server = spawnServer(env);
  await server.until("stdout", "/graphql\n");
  const url = /at (\S+)\/graphql\n/.exec(server.stdout())?.[1] ?? "";
  const stop = () => {
    server.signal("SIGTERM");
    return server.ended;
  };
  return { ...server, url, stop };
}

/** Secrets that only the output of the first start shows. */
export interface FirstStartSecrets {
  email: string;
  password: string;
  key: string;
}

/** Returns the secrets in a server's output; undefined if it contains none. */
export function secretsIn(stdout: string): FirstStartSecrets | undefined {
  const [, email] = /^ *Sign in as +(\S+)$/m.exec(stdout) ?? [];
  const [, password] = /^ *Password +(\S+)$/m.exec(stdout) ?? [];
  const [, key] = /^ *API key +(\S+) /m.exec(stdout) ?? [];
  return email && password && key ? { email, password, key } : undefined;
}

/**
 * Runs the command line as a process.
 * @param input its standard input
 * @param env additional settings
 */
export const spawnCli = (databaseUrl: string, args: string[], input = "", env = {}): Promise<Ended> =>
  start("cli/main.js", args, { DATABASE_URL: databaseUrl, ...env }, { input }).ended;

/** Runs the commands of a test file, one after the other. */
class CliHost {
  private static current: CliHost | undefined;
  private readonly directory = mkdtempSync(join(tmpdir(), "gateway-cli-"));
  private readonly child: ChildProcess;
  private readonly exited: Promise<unknown>;
  private commands = 0;

  private constructor() {
    const { PATH = "", HOME = "" } = process.env;
    const stderrFile = join(this.directory, "stderr");
    const stderr = openSync(stderrFile, "w");
    this.child = fork(join(__dirname, "cli-host.mjs"), [stderrFile], {
      execArgv: [],
      env: { PATH, HOME },
      cwd: tmpdir(),
      stdio: ["ignore", "ignore", stderr, "ipc"],
    });
    closeSync(stderr);
    this.child.setMaxListeners(0);
    this.exited = once(this.child, "exit");
  }

  static get = (): CliHost => {
    CliHost.current ??= new CliHost();
    return CliHost.current;
  };

  static async end(): Promise<void> {
    const host = CliHost.current;
    CliHost.current = undefined;
    if (host === undefined) return;
    host.child.kill("SIGKILL");
    await host.exited;
    await rm(host.directory, { recursive: true, force: true });
  }

  async run(
    databaseUrl: string,
    args: string[],
    { input = "", terminal = false, env = {} }: { input?: string; terminal?: boolean; env?: object },
  ): Promise<Ended> {
    const id = this.commands++;
    const ended = new Promise<Ended>((resolve, reject) => {
      const listen = (message: Omit<Ended, "signal"> & { id: number }) => {
        if (message.id !== id) return;
        this.child.off("message", listen);
        const { code, stdout, stderr } = message;
        resolve({ code, signal: null, stdout, stderr });
      };
      this.child.on("message", listen);
      void this.exited.then(() => reject(new Error(`gateway ${args.join(" ")} ended its host`)));
    });
    this.child.send({ id, args, env: { DATABASE_URL: databaseUrl, ...env }, input, terminal });
    return ended;
  }
}

afterAll(CliHost.end);

/**
 * Runs a CLI command in a process shared by all commands in the test file. A command ends only after it has
 * released everything that would keep a process alive.
 * @param input its standard input
 * @param env additional settings
 */
export const runCli = (databaseUrl: string, args: string[], input = "", env = {}): Promise<Ended> =>
  CliHost.get().run(databaseUrl, args, { input, env });

/**
 * Runs the command line like `runCli`, but at a terminal.
 * @param typed the text that a person types
 * @param env additional settings
 */
export const runCliAtTerminal = (
  databaseUrl: string,
  args: string[],
  typed: string,
  env = {},
): Promise<Ended> => CliHost.get().run(databaseUrl, args, { input: typed, terminal: true, env });

/** Returns the one JSON document that a command printed, which must have succeeded. */
export async function jsonOf(ending: Promise<Ended>) {
  const { code, stdout, stderr } = await ending;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^[^\n]+\n$/);
  return JSON.parse(stdout);
}

/** Runs a command that must succeed with `--json`. */
export const runCliForJson = (databaseUrl: string, ...args: string[]) =>
  jsonOf(runCli(databaseUrl, [...args, "--json"]));

/** Declares tests of commands that fail, each with one line on standard error. */
export const testFailingCommands = (
  cli: (...args: string[]) => Promise<Ended>,
  commands: [exitCode: number, args: string[], says: string][],
): void =>
  test.each(commands)("exit code %d in one line: %j", async (exitCode, args, says) => {
    const { code, stdout, stderr } = await cli(...args);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: "" });
    expect(stderr).toMatch(/^gateway: [^\n]+\n$/);
    expect(stderr).toContain(says);
  });
