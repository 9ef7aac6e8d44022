// Runs commands of the built command line one after the other in one process, which loads the program only once,
// because loading takes nine tenths of a command's time. Argument: the file that is this process's standard error.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { setTimeout } from "node:timers/promises";

const require = createRequire(import.meta.url);
const { Command } = require("commander");
const DIST = join(import.meta.dirname, "../../dist");
const [, , stderrFile] = process.argv;
const settings = { ...process.env };

let running = Promise.resolve();
const { parseAsync } = Command.prototype;
Command.prototype.parseAsync = function (...args) {
  running = parseAsync.apply(this, args);
  return running;
};

/** Thrown instead of exiting. */
class Exit extends Error {}
process.on("unhandledRejection", (error) => {
  if (!(error instanceof Exit)) throw error;
});

/** @returns its exit code and output */
async function run({ args, env, input, terminal }) {
  const result = { code: undefined, stdout: "", stderr: "" };
  const directly = readFileSync(stderrFile).length;
  const collect = (output) =>
    new Writable({
      write: (chunk, _, done) => {
        // A process that has exited writes nothing more.
        if (result.code === undefined) result[output] += chunk;
        done();
      },
    });
  for (const output of ["stdout", "stderr"]) {
    Object.defineProperty(process, output, {
      value: Object.assign(collect(output), { isTTY: terminal }),
      configurable: true,
    });
  }
  const stdin = Object.assign(Readable.from([Buffer.from(input)]), { isTTY: terminal });
  Object.defineProperty(process, "stdin", { value: stdin, configurable: true });
  process.argv = [process.execPath, join(DIST, "src/cli/main.js"), ...args];
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, settings, env);
  const ended = new Promise((resolve) => {
    process.exit = (code = process.exitCode ?? 0) => {
      result.code ??= code;
      resolve();
      throw new Exit();
    };
  });
  for (const file of Object.keys(require.cache)) {
    if (file.startsWith(join(DIST, "src/cli")) || file === join(DIST, "ormconfig.js"))
      delete require.cache[file];
  }
  try {
    require(join(DIST, "src/cli/main.js"));
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
  }
  await Promise.race([ended, running.catch(() => ended)]);
  // A process ends when nothing is left that could wake it, such as an open connection.
  while (process.getActiveResourcesInfo().some((resource) => !idle.includes(resource))) await setTimeout(1);
  result.code ??= process.exitCode ?? 0;
  process.exitCode = undefined;
  result.stderr += readFileSync(stderrFile).subarray(directly);
  return result;
}

const exit = process.exit.bind(process);
process.on("disconnect", () => exit(0));
const idle = process.getActiveResourcesInfo();
let queue = Promise.resolve();
process.on("message", ({ id, ...command }) => {
  queue = queue.then(async () => {
    process.send({ id, ...(await run(command)) });
  });
});
