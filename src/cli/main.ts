#!/usr/bin/env node
import "reflect-metadata";
import { Command } from "commander";
import { reportAndExit } from "../exit";
import { version } from "../version";
import { addAgentCommands } from "./agents";
import { addAuditCommands } from "./audit";
import { addDatabaseCommands } from "./database";
import { addKeyCommands } from "./keys";
import { addMemberCommands } from "./members";
import { addOrganizationCommands } from "./organizations";

const program = new Command("gateway")
  .description("Manages the gateway in its configured database; works while the server runs.")
  .version(version)
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
  .configureHelp({ showGlobalOptions: true });

addKeyCommands(program.command("keys").description("API keys"));
addOrganizationCommands(program.command("orgs").description("Organizations"));
addAgentCommands(program.command("agents").description("Agents"));
addMemberCommands(program.command("members").description("Members (people who sign in)"));
addAuditCommands(program.command("audit").description("Audit logs"));
addDatabaseCommands(program);

// Exit quietly when the reader closes the pipe, as in `keys list | head -1`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

program.parseAsync().catch(reportAndExit);
