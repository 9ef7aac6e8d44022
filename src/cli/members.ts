import { Argument, type Command } from "commander";
import { operatorFor, type RequestContext } from "../auth/context";
import { PERMISSIONS, Permission } from "../auth/permissions";
import { baseUrlOf } from "../base-url";
import { randomBase62 } from "../credentials/base62";
import type { Member } from "../features/members/member.entity";
import { NewMember, NewPassword } from "../features/members/member.inputs";
import type { MemberService } from "../features/members/member.service";
import { SIGN_IN_LINK_PATH } from "../features/members/sign-in-link.http";
import { validateInput } from "../schema/validate-input";
import { commaSeparated } from "./comma-separated";
import { addYesOption, type Confirmation, confirm } from "./confirm";
import { print, printJson, printRecord, printTable } from "./output";
import { withServices } from "./services";
import { secretFromStdin } from "./stdin";

interface Json {
  json?: boolean;
}

interface PasswordOption {
  passwordStdin?: boolean;
}

type AddOptions = Json &
  PasswordOption & { org: string; email: string; manage?: boolean; permissions?: string[] };

/** Adds the options that set a new member's permissions. */
export const addPermissionOptions = (command: Command): Command =>
  command
    .option("--manage", "grant config:manage")
    .option(
      "--permissions <permissions>",
      `comma-separated permissions to grant (${PERMISSIONS.join(", ")})`,
      commaSeparated,
    );

/** Adds the commands of `gateway members`. */
export function addMemberCommands(members: Command): void {
  addPermissionOptions(members.command("add"))
    .description("add a member; without --password-stdin, a password is generated and shown once")
    .requiredOption("--org <slug>", "organization of the member")
    .requiredOption("--email <address>", "e-mail address to sign in with")
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
        printMember(Object.assign(member, { organization: context.caller.organization }), shown, options);
      }),
    );

  members
    .command("list")
    .description("list the members of an organization")
    .requiredOption("--org <slug>", "slug of the organization")
    .option("--json", "print one JSON array")
    .action(({ org, json }: Json & { org: string }) =>
      withServices(async (services) => {
        const found = await services.members.list(operatorFor(await services.organizations.bySlug(org)));
        if (json) printJson(found.map(describe));
        else printTable(found.map(describe).map(toRow), "The organization has no members.");
      }),
    );

  members
    .command("grant")
    .description("grant a member a permission, effective on the next request")
    .argument("<email>", "the member")
    .addArgument(permissionArgument())
    .option("--json", "print one JSON object")
    .action((email: string, permission: Permission, options: Json) =>
      withMember(email, options, (service, context, memberId) =>
        service.grantPermission(context, { memberId, permission }),
      ),
    );

  addYesOption(members.command("revoke"))
    .description("revoke a permission of a member, effective on the next request")
    .argument("<email>", "the member")
    .addArgument(permissionArgument())
    .option("--json", "print one JSON object")
    .action((email: string, permission: Permission, options: Json & Confirmation) =>
      withMember(email, options, async (service, context, memberId) => {
        await confirm(`Revoke ${permission} of ${email}?`, options);
        return service.revokePermission(context, { memberId, permission });
      }),
    );

  addYesOption(members.command("permit", { hidden: true }))
    .description("deprecated: use grant and revoke")
    .argument("<email>", "the member")
    .option("--manage", "grant config:manage; without this option, revoke all permissions")
    .option("--json", "print one JSON object")
    .action((email: string, options: Json & Confirmation & { manage?: boolean }) =>
      withMember(email, options, async (service, context, memberId) => {
        if (options.manage)
          return service.grantPermission(context, { memberId, permission: Permission.config_manage });
        await confirm(`Revoke all permissions of ${email}?`, options);
        return service.revokeAllPermissions(context, memberId);
      }),
    );

  addYesOption(members.command("reset-password"))
    .description("set a new password for a member and end all of the member's sessions")
    .argument("<email>", "the member")
    .option("--password-stdin", "read the password from standard input")
    .option("--json", "print one JSON object")
    .action((email: string, options: Json & PasswordOption & Confirmation) =>
      withServices(async (services) => {
        const member = await services.members.byEmail(email);
        await confirm(
          `Replace the password for ${member.email} and end all sessions of this member?`,
          options,
        );
        const { password, shown } = await choosePassword(options);
        await validateInput(Object.assign(new NewPassword(), { password }));
        await services.sessions.setPassword(operatorFor(member.organization), member, password);
        printMember(member, shown, options);
      }),
    );
}

/** Adds the commands for members who sign in with OpenID Connect; they also work while its issuer is down. */
export function addSignInCommands(members: Command): void {
  members
    .command("sign-in-link")
    .description("print a one-time link that signs a member in and expires after 15 minutes")
    .argument("<email>", "the member")
    .option("--json", "print one JSON object")
    .action((email: string, { json }: Json) =>
      withServices(async ({ members, sessions, config }) => {
        const member = await members.byEmail(email);
        const token = await sessions.createLink(operatorFor(member.organization), member);
        const link = `${baseUrlOf(config)}${SIGN_IN_LINK_PATH}${token}`;
        if (json) printJson({ email: member.email, link });
        else print(`${link}\n\nThe link signs in ${member.email} once and expires after 15 minutes.`);
      }),
    );

  addYesOption(members.command("unlink"))
    .description("unlink a member's OpenID Connect account and end the sessions that it opened")
    .argument("<email>", "the member")
    .option("--json", "print one JSON object")
    .action((email: string, options: Json & Confirmation) =>
      withServices(async ({ members }) => {
        const { id, organization } = await members.byEmail(email);
        await confirm(`Unlink the account of ${email} and end the sessions that it opened?`, options);
        const member = await members.unlinkIdentity(operatorFor(organization), id);
        if (options.json) printJson(describe(member));
        else print(`Unlinked ${member.email}. The next sign-in links an account again.`);
      }),
    );
}

/** Adds the commands that remove members and end their sessions. */
export function addRemovalCommands(members: Command): void {
  addYesOption(members.command("remove"))
    .description("remove a member and end all of the member's sessions, effective on the next request")
    .argument("<email>", "the member")
    .option("--json", "print one JSON object")
    .action((email: string, options: Json & Confirmation) =>
      withServices(async ({ members }) => {
        const { id, organization } = await members.byEmail(email);
        await confirm(`Remove ${email} from ${organization.slug}?`, options);
        const removed = await members.remove(operatorFor(organization), id);
        if (options.json) printJson(describe(removed));
        else print(`Removed ${removed.email} from ${organization.slug}.`);
      }),
    );

  members
    .command("sessions")
    .description("list the active sessions of a member, newest first")
    .argument("<email>", "the member")
    .option("--json", "print one JSON array")
    .action((email: string, { json }: Json) =>
      withServices(async ({ members, sessions }) => {
        const { id, organization } = await members.byEmail(email);
        const rows = (await sessions.list(operatorFor(organization), id)).map(
          ({ id, createdAt, expiresAt, ip, userAgent }) => ({ id, createdAt, expiresAt, ip, userAgent }),
        );
        if (json) printJson(rows);
        else printTable(rows, "The member has no active sessions.");
      }),
    );

  addYesOption(members.command("sign-out"))
    .description("end all sessions of a member, effective on the next request")
    .argument("<email>", "the member")
    .option("--json", "print one JSON object")
    .action((email: string, options: Json & Confirmation) =>
      withServices(async ({ members, sessions }) => {
        const member = await members.byEmail(email);
        await confirm(`End all sessions for ${member.email}?`, options);
        const ended = await sessions.endAll(operatorFor(member.organization), member);
        if (options.json) printJson({ ended });
        else print(`Ended ${ended} session${ended === 1 ? "" : "s"} for ${member.email}.`);
      }),
    );
}

/** Adds the commands for members who have lost their passkeys. */
export function addPasskeyCommands(members: Command): void {
  members
    .command("passkeys")
    .description("list the passkeys of a member, oldest first")
    .argument("<email>", "the member")
    .option("--json", "print one JSON array")
    .action((email: string, { json }: Json) =>
      withServices(async ({ members, passkeys }) => {
        const { id, organization } = await members.byEmail(email);
        const rows = (await passkeys.list(operatorFor(organization), id)).map(
          ({ id, name, createdAt, lastUsedAt }) => ({ id, name, createdAt, lastUsedAt }),
        );
        if (json) printJson(rows);
        else printTable(rows, "The member has no passkeys.");
      }),
    );

  addYesOption(members.command("remove-passkeys"))
    .description("remove all passkeys of a member, so that the password is enough to sign in")
    .argument("<email>", "the member")
    .option("--json", "print one JSON object")
    .action((email: string, options: Json & Confirmation) =>
      withServices(async ({ members, passkeys }) => {
        const member = await members.byEmail(email);
        await confirm(`Remove all passkeys of ${member.email}?`, options);
        const removed = await passkeys.removeAll(operatorFor(member.organization), member);
        if (options.json) printJson({ removed });
        else print(`Removed ${removed} passkey${removed === 1 ? "" : "s"} of ${member.email}.`);
      }),
    );
}

const permissionArgument = () => new Argument("<permission>", "name of the permission").choices(PERMISSIONS);

/** Changes a member's permissions and prints the result. */
const withMember = (
  email: string,
  { json }: Json,
  change: (service: MemberService, context: RequestContext, memberId: string) => Promise<Member>,
): Promise<void> =>
  withServices(async (services) => {
    const { id, organization } = await services.members.byEmail(email);
    const member = await change(services.members, operatorFor(organization), id);
    if (json) printJson(describe(member));
    else print(`Permissions for ${member.email}: ${toRow(describe(member)).permissions}.`);
  });

/** Returns the permissions as typed; `validateInput` rejects unknown names. */
export const permissionsOf = ({
  manage,
  permissions = [],
}: Pick<AddOptions, "manage" | "permissions">): string[] => [
  ...(manage ? [Permission.config_manage] : []),
  ...permissions,
];

/**
 * Reads the password from standard input or generates one.
 * @returns the password; `shown` is also set if it was generated
 */
async function choosePassword({
  passwordStdin,
}: PasswordOption): Promise<{ password: string; shown?: string }> {
  if (passwordStdin) return { password: await secretFromStdin() };
  const password = randomBase62(20);
  return { password, shown: password };
}

const describe = ({ id, email, organization, permissions }: Member) => ({
  id,
  email,
  organization: organization.slug,
  permissions,
});

const toRow = ({ permissions, ...rest }: ReturnType<typeof describe>) => ({
  ...rest,
  permissions: permissions.join(", ") || "(none)",
});

function printMember(member: Member, password: string | undefined, { json }: Json): void {
  const record = { ...describe(member), ...(password !== undefined && { password }) };
  if (json) {
    printJson(record);
    return;
  }
  printRecord({ ...toRow(describe(member)), ...(password !== undefined && { password }) });
  if (password !== undefined) print("\nThe password will not be shown again.");
}
