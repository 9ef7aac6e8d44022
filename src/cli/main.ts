#!/usr/bin/env node
import "reflect-metadata";
import { Command, Help } from "commander";
import { GatewayError, InvalidInput } from "../errors";
import { reportAndExit } from "../exit";
import { version } from "../version";
import { addAgentCommands } from "./agents";
import { addAuditCommands } from "./audit";
import { addConfigurationCommands } from "./configuration";
import { addDatabaseCommands } from "./database";
import { addInstanceKeyCommands } from "./instance-key";
import { addInvitationCommands } from "./invitations";
import { addKeyCommands } from "./keys";
import { addLineCommands } from "./lines";
import { addMemberCommands, addRemovalCommands } from "./members";
import { addMessageCommands } from "./messages";
import { inOptionsOf } from "./option-names";
import { addOrganizationCommands } from "./organizations";
import { exitOnClosedPipe } from "./output";
import { addSeedCommand } from "./seed";
import { addStartCommand } from "./start";
import { addWebhookCommands } from "./webhooks";

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

addStartCommand(program);
addKeyCommands(program.command("keys").description("API keys"));
addOrganizationCommands(program.command("orgs").description("Organizations"));
addAgentCommands(program.command("agents").description("Agents"));
addLineCommands(program.command("lines").description("Lines that agents speak from"));
addConfigurationCommands(program.command("configuration").description("What agents do in which situation"));
addMessageCommands(program.command("messages").description("Messages of agents"));
addWebhookCommands(program.command("webhooks").description("Webhook endpoints that get events"));
const members = program.command("members").description("Members (people who sign in)");
addMemberCommands(members);
addInvitationCommands(members);
addRemovalCommands(members);
addAuditCommands(program.command("audit").description("Audit logs"));
addDatabaseCommands(program);
addSeedCommand(program);
addInstanceKeyCommands(
  program.command("instance-key").description("The key of signing secrets and stored credentials"),
);

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
