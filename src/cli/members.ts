import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { randomBase62 } from "../keys/base62";
import { Permission } from "../members/member.entity";
import { NewMember } from "../members/member.inputs";
import { validateInput } from "../validation/validate-input";
import { print, printJson, printRecord } from "./output";
import { operatorFor, withServices } from "./session";

interface AddOptions {
  org: string;
  email: string;
  manage?: boolean;
  passwordStdin?: boolean;
  json?: boolean;
}

/** `gateway members …` */
export function addMemberCommands(members: Command): void {
  members
    .command("add")
    .description("add a member; without --password-stdin a password is made up and shown once")
    .requiredOption("--org <slug>", "the organization that the member belongs to")
    .requiredOption("--email <address>", "what the member signs in with")
    .option("--manage", "grant config:manage: API keys and the audit log")
    .option("--password-stdin", "read the password from standard input")
    .option("--json", "print one JSON object")
    .action((options: AddOptions) =>
      withServices(async (services) => {
        const chosen = options.passwordStdin ? (await text(process.stdin)).replace(/\r?\n$/, "") : undefined;
        const password = chosen ?? randomBase62(20);
        const input = Object.assign(new NewMember(), {
          email: options.email,
          password,
          permissions: options.manage ? [Permission.config_manage] : [],
        });
        await validateInput(input);
        const context = operatorFor(await services.organizations.bySlug(options.org));
        const { id, email, permissions } = await services.members.create(context, input);
        const record = { id, email, organization: options.org, ...(chosen === undefined && { password }) };
        if (options.json) return printJson({ ...record, permissions });
        printRecord({ ...record, permissions: permissions.join(", ") || "(read only)" });
        if (chosen === undefined) print("\nThe password is shown once and cannot be shown again.");
      }),
    );
}
