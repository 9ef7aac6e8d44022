#!/usr/bin/env node
import "reflect-metadata";
import { readdirSync } from "node:fs";
import { Command, Help, Option } from "commander";
import { GatewayError, InvalidInput } from "../errors";
import { oneLine, reportAndExit, tolerateClosedPipe } from "../exit";
import { version } from "../version";
import { addOnDatabase, chooseTarget } from "./target";

/** Exit code for an invalid command, option or value; failed commands exit with 1. */
const WRONG_USAGE = 2;

const program = new Command("gateway")
  .description(
    "Manages the gateway through its configured database, even while the server is running, or over HTTPS with --url.",
  )
  .addOption(
    new Option("--url <url>", "manage the server at this URL instead of the database").env("GATEWAY_URL"),
  )
  .option("--key-stdin", "with --url: read the key from standard input instead of GATEWAY_KEY")
  .option("--allow-http", "with --url: allow http to other machines, which reveals the key")
  .version(version)
  // Lets `configuration get` have its own `--version` option.
  .enablePositionalOptions()
  .configureOutput({
    // Usage errors are printed on one line, like all other failures.
    outputError: (text, write) => write(`${oneLine(text).replace(/^error: /, "gateway: ")}\n`),
  })
  .configureHelp({
    showGlobalOptions: true,
    optionDescription(option) {
      const description = Help.prototype.optionDescription.call(this, option);
      return option.mandatory ? `${description} (required)` : description;
    },
  })
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : WRONG_USAGE));

/** A module named `<name>.commands` in this folder, with the commands of the group `gateway <name>`. */
interface CommandGroup {
  description: string;
  add(group: Command): void;
}

const GROUPS = readdirSync(__dirname)
  .sort()
  .flatMap((file) => /^([\w-]+)\.commands\.[jt]s$/.exec(file)?.[1] ?? []);

const DATABASE_COMMANDS = ["migrate", "backup", "restore", "restored"];

const typed = process.argv
  .slice(2)
  .filter((argument, i, all) => !argument.startsWith("-") && all[i - 1] !== "--url");
/** The command that the user typed; undefined for general help and the version. */
const named = typed[0] === "help" ? typed[1] : typed[0];
const isVersion = named === undefined && /^(-V|--version)$/.test(process.argv[2] ?? "");

/** True if general help or one of these commands was requested; loading all commands would take a second. */
const isLoaded = (...names: string[]) => (named === undefined ? !isVersion : names.includes(named));

const start = addOnDatabase(program, "start")
  .description("run the server, configured by environment variables")
  .action(async () => {
    process.setSourceMapsEnabled(true);
    // Loads the server on demand, because that takes most of a second.
    const { serve }: typeof import("../serve") = require("../serve");
    await serve();
  });
for (const name of GROUPS) {
  const group = program.command(name);
  if (!isLoaded(name)) continue;
  const { description, add }: CommandGroup = require(`./${name}.commands`);
  add(group.description(description));
}
if (isLoaded(...DATABASE_COMMANDS)) {
  const { add }: typeof import("./database") = require("./database");
  add(program);
} else for (const name of DATABASE_COMMANDS) program.command(name);
if (isLoaded("seed")) {
  const { add }: typeof import("./seed") = require("./seed");
  add(program);
} else program.command("seed");

/** Adds `--json` to the commands that do not declare it themselves. */
function addJsonOption(command: Command): void {
  command.commands.forEach(addJsonOption);
  if (command.commands.length === 0 && !command.options.some(({ long }) => long === "--json"))
    command.option("--json", "print one JSON object");
}
for (const command of program.commands) if (command !== start) addJsonOption(command);

tolerateClosedPipe();

/** Options of an `update` command that change nothing. */
const SELECTING = ["agent", "org", "json"];

const changesSomething = (command: Command): boolean =>
  command.options
    .map((option) => option.attributeName())
    .some((name) => !SELECTING.includes(name) && command.getOptionValueSource(name) === "cli");

let running: Command | undefined;
program.hook("preAction", (_program, command) => {
  running = command;
  if (command.name() === "update" && !changesSomething(command))
    command.error("error: name at least one setting to change");
  chooseTarget(program.opts(), command);
});

/** Returns the last word of a name: `networks` for `allowedNetworks`. */
const lastWordOf = (name: string): string => (/[A-Z][a-z]+$/.exec(name)?.[0] ?? name).toLowerCase();

/**
 * Replaces the paths of an input's problems with the command's options: `input.webhook.url` becomes `--url`, and
 * `allowedNetworks` becomes `--networks`. A path without an option loses only its prefix `input.`.
 */
const inOptionsOf = ({ options }: Command, { problems }: InvalidInput): InvalidInput => {
  const { punctuated }: typeof import("./output") = require("./output");
  return new InvalidInput(
    problems.map(({ path, message }) => {
      const field = path.replace(/(\.\d+)+$/, "").replace(/^.*\./, "");
      const option = [field, field.replace(/Id$/, ""), lastWordOf(field)]
        .map((name) => options.find((each) => each.attributeName() === name && !each.negate))
        .find((each) => each !== undefined);
      return { path: option?.long ?? path.replace(/^input\./, ""), message: punctuated(field, message) };
    }),
  );
};

/** True if an error is caused by a value that the user typed. */
const isWrongUsage = (error: unknown): boolean =>
  error instanceof GatewayError && ["invalid_request", "invalid_cursor"].includes(error.code);

program.parseAsync().catch((cause) => {
  const error = running && cause instanceof InvalidInput ? inOptionsOf(running, cause) : cause;
  reportAndExit(error, isWrongUsage(error) ? WRONG_USAGE : 1);
});
