import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { operatorFor } from "../auth/context";
import { Permission } from "../auth/permissions";
import { randomBase62 } from "../credentials/base62";
import type { Member } from "../features/members/member.entity";
import { NewMember, NewPassword } from "../features/members/member.inputs";
import { validateInput } from "../schema/validate-input";
import { print, printJson, printRecord, printTable } from "./output";
import { withServices } from "./services";

interface Json {
  json?: boolean;
}

interface PasswordOption {
  passwordStdin?: boolean;
}

type AddOptions = Json & PasswordOption & { org: string; email: string; manage?: boolean };

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
        const { password, shown } = await choosePassword(options);
        const input = Object.assign(new NewMember(), {
          email: options.email,
          password,
          permissions: permissionsOf(options),
        });
        await validateInput(input);
        const context = operatorFor(await services.organizations.bySlug(options.org));
        const member = await services.members.create(context, input);
        printMember({ ...member, organization: context.caller.organization }, shown, options);
      }),
    );

  members
    .command("list")
    .description("list the members of an organization")
    .requiredOption("--org <slug>", "the organization")
    .option("--json", "print one JSON array")
    .action(({ org, json }: Json & { org: string }) =>
      withServices(async (services) => {
        const found = await services.members.list(operatorFor(await services.organizations.bySlug(org)));
        if (json) printJson(found.map(describe));
        else printTable(found.map(describe).map(inWords), "The organization has no members.");
      }),
    );

  members
    .command("permit")
    .description("say what a member may do: config:manage with --manage, only look without")
    .argument("<email>", "the member")
    .option("--manage", "grant config:manage: API keys and the audit log")
    .action((email: string, options: { manage?: boolean }) =>
      withServices(async (services) => {
        const { organization } = await services.members.byEmail(email);
        await services.members.setPermissions(operatorFor(organization), email, permissionsOf(options));
        print(`${email} may ${options.manage ? "manage API keys and read the audit log" : "only look"}.`);
      }),
    );

  members
    .command("reset-password")
    .description("give a member another password and end all of its sessions")
    .argument("<email>", "the member")
    .option("--password-stdin", "read the password from standard input")
    .option("--json", "print one JSON object")
    .action((email: string, options: Json & PasswordOption) =>
      withServices(async (services) => {
        const member = await services.members.byEmail(email);
        const { password, shown } = await choosePassword(options);
        await validateInput(Object.assign(new NewPassword(), { password }));
        await services.sessions.setPassword(operatorFor(member.organization), member, password);
        printMember(member, shown, options);
      }),
    );
}

const permissionsOf = ({ manage }: { manage?: boolean }) => (manage ? [Permission.config_manage] : []);

/** @returns the password, and again as `shown` when nobody but us knows it */
async function choosePassword({
  passwordStdin,
}: PasswordOption): Promise<{ password: string; shown?: string }> {
  if (passwordStdin) return { password: (await text(process.stdin)).replace(/\r?\n$/, "") };
  const password = randomBase62(20);
  return { password, shown: password };
}

const describe = ({ id, email, organization, permissions }: Member) => ({
  id,
  email,
  organization: organization.slug,
  permissions,
});

const inWords = ({ permissions, ...rest }: ReturnType<typeof describe>) => ({
  ...rest,
  permissions: permissions.join(", ") || "(read only)",
});

function printMember(member: Member, password: string | undefined, { json }: Json): void {
  const record = { ...describe(member), ...(password !== undefined && { password }) };
  if (json) {
    printJson(record);
    return;
  }
  printRecord({ ...inWords(describe(member)), ...(password !== undefined && { password }) });
  if (password !== undefined) print("\nThe password is shown once and cannot be shown again.");
}
