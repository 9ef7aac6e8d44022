#!/usr/bin/env node
import "reflect-metadata";
import { Command, Help } from "commander";
import { GatewayError, InvalidInput } from "../errors";
import { reportAndExit } from "../exit";
import { version } from "../version";
import { inOptionsOf } from "./option-names";
import { exitOnClosedPipe } from "./output";
import { addStartCommand } from "./start";

/** Exit code for a wrong command, option or value; 1 means that a command failed. */
const WRONG_USAGE = 2;

const program = new Command("gateway")
  .description("Manages the gateway in its configured database; works while the server runs.")
  .version(version)
  // `configuration get` has a --version, too.
  .enablePositionalOptions()
  .configureOutput({
    // Usage errors take one line, like every other failure.
    outputError: (text, write) =>
      write(
        `${text
          .trim()
          .replace(/^error: /, "gateway: ")
          .replaceAll("\n", " ")}\n`,
      ),
  })
  .configureHelp({
    showGlobalOptions: true,
    optionDescription(option) {
      const description = Help.prototype.optionDescription.call(this, option);
      return option.mandatory ? `${description} (required)` : description;
    },
  })
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : WRONG_USAGE));

interface CommandModule {
  /** The names of its commands, or of its group of commands. */
  names: readonly string[];
  /** Description of the group, if it is one. */
  description?: string;
  load: () => (parent: Command) => void;
}

/** The modules of all commands but `start`, in the order of the help. */
const MODULES: readonly CommandModule[] = [
  {
    names: ["keys"],
    description: "API keys",
    load: () => {
      const { addKeyCommands }: typeof import("./keys") = require("./keys");
      return addKeyCommands;
    },
  },
  {
    names: ["orgs"],
    description: "Organizations",
    load: () => {
      const { addOrganizationCommands }: typeof import("./organizations") = require("./organizations");
      return addOrganizationCommands;
    },
  },
  {
    names: ["agents"],
    description: "Agents",
    load: () => {
      const { addAgentCommands }: typeof import("./agents") = require("./agents");
      return addAgentCommands;
    },
  },
  {
    names: ["lines"],
    description: "Lines that agents speak from",
    load: () => {
      const { addLineCommands }: typeof import("./lines") = require("./lines");
      return addLineCommands;
    },
  },
  {
    names: ["configuration"],
    description: "What agents do in which situation",
    load: () => {
      const { addConfigurationCommands }: typeof import("./configuration") = require("./configuration");
      return addConfigurationCommands;
    },
  },
  {
    names: ["messages"],
    description: "Messages of agents",
    load: () => {
      const { addMessageCommands }: typeof import("./messages") = require("./messages");
      return addMessageCommands;
    },
  },
  {
    names: ["webhooks"],
    description: "Webhook endpoints that get events",
    load: () => {
      const { addWebhookCommands }: typeof import("./webhooks") = require("./webhooks");
      return addWebhookCommands;
    },
  },
  {
    names: ["members"],
    description: "Members (people who sign in)",
    load: () => {
      const { addMemberCommands, addRemovalCommands }: typeof import("./members") = require("./members");
      const { addInvitationCommands }: typeof import("./invitations") = require("./invitations");
      return (members) => {
        for (const add of [addMemberCommands, addInvitationCommands, addRemovalCommands]) add(members);
      };
    },
  },
  {
    names: ["audit"],
    description: "Audit logs",
    load: () => {
      const { addAuditCommands }: typeof import("./audit") = require("./audit");
      return addAuditCommands;
    },
  },
  {
    names: ["migrate", "backup", "restore", "restored"],
    load: () => {
      const { addDatabaseCommands }: typeof import("./database") = require("./database");
      return addDatabaseCommands;
    },
  },
  {
    names: ["seed"],
    load: () => {
      const { addSeedCommand }: typeof import("./seed") = require("./seed");
      return addSeedCommand;
    },
  },
  {
    names: ["instance-key"],
    description: "The key of signing secrets and stored credentials",
    load: () => {
      const { addInstanceKeyCommands }: typeof import("./instance-key") = require("./instance-key");
      return addInstanceKeyCommands;
    },
  },
];

const typed = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
/** The command that was typed; undefined for the help of all commands, and for the version. */
const named = typed[0] === "help" ? typed[1] : typed[0];
const isVersion = named === undefined && /^(-V|--version)$/.test(process.argv[2] ?? "");

addStartCommand(program);
for (const { names, description, load } of MODULES) {
  // Loading the services takes a second, so only what is typed is loaded.
  const isLoaded = named === undefined ? !isVersion : names.includes(named);
  const group =
    description === undefined ? undefined : program.command(names[0] ?? "").description(description);
  if (isLoaded) load()(group ?? program);
  else if (group === undefined) for (const name of names) program.command(name);
}

exitOnClosedPipe();

let running: Command | undefined;
program.hook("preAction", (_program, command) => {
  running = command;
});

/** Whether an error is about a value that was typed. */
const isWrongUsage = (error: unknown): boolean =>
  error instanceof GatewayError && ["invalid_request", "invalid_cursor"].includes(error.code);

program.parseAsync().catch((cause) => {
  const error = running && cause instanceof InvalidInput ? inOptionsOf(running, cause) : cause;
  reportAndExit(error, isWrongUsage(error) ? WRONG_USAGE : 1);
});
