import type { Command, CommandOptions } from "commander";
import { operatorFor } from "../auth/context";
import { baseUrlOf } from "../base-url";
import { randomBase62 } from "../credentials/base62";
import type { Member } from "../features/members/member.entity";
import { addYesOption, type Confirmation, confirm } from "./confirm";
import { withServices } from "./connect";
import { addPermissionOptions, heldBy, permissionsOf } from "./members";
import { counted, fieldsOf, type Json, printRecord, printResult, type Row, recordOf } from "./output";
import { secretFromStdin } from "./stdin";
import { addOnDatabase } from "./target";

interface PasswordOption {
  passwordStdin?: boolean;
}

type AddOptions = Json &
  PasswordOption & { org: string; email: string; manage?: boolean; permissions?: string[] };

/** Adds the commands of `gateway members` reserved for operators: opening accounts and restoring access to them. */
export function addAccountCommands(members: Command): void {
  const addOne = (name: string, description: string, options?: CommandOptions) =>
    addOnDatabase(members, name, options).description(description).argument("<email>", "the member");

  addPermissionOptions(addOnDatabase(members, "add"))
    .description("add a member; without --password-stdin, a password is generated and shown once")
    .requiredOption("--org <slug>", "the member's organization")
    .requiredOption("--email <address>", "e-mail address to sign in with")
    .option("--password-stdin", "read the password from standard input")
    .action(({ org, email, json, ...options }: AddOptions) =>
      withServices(async (services, valid) => {
        const { NewMember } = await import("../features/members/member.inputs.js");
        const { password, shown } = await choosePassword(options);
        const input = await valid(NewMember, { email, password, permissions: permissionsOf(options) });
        const organization = await services.organizations.bySlug(org);
        const member = await services.members.create(operatorFor(organization), input);
        printMember(Object.assign(member, { organization }), shown, json);
      }),
    );

  addYesOption(addOne("permit", "deprecated: use grant and revoke", { hidden: true }))
    .option("--manage", "grant config:manage; without this option, revoke all permissions")
    .action((email: string, options: Json & Confirmation & { manage?: boolean }) =>
      withServices(async ({ members }) => {
        const { id: memberId, organization } = await members.byEmail(email);
        const context = operatorFor(organization);
        if (!options.manage) await confirm(`Revoke all permissions of ${email}?`, options);
        const member = describe(
          options.manage
            ? await members.grantPermission(context, { memberId, permission: "config:manage" })
            : await members.revokeAllPermissions(context, memberId),
        );
        printResult(options.json, member, heldBy(member));
      }),
    );

  addYesOption(
    addOne("reset-password", "set a new password for a member and end all of the member's sessions"),
  )
    .option("--password-stdin", "read the password from standard input")
    .action((email: string, options: Json & PasswordOption & Confirmation) =>
      withServices(async (services, valid) => {
        const { NewPassword } = await import("../features/members/member.inputs.js");
        const member = await services.members.byEmail(email);
        await confirm(
          `Replace the password for ${member.email} and end all of the member's sessions?`,
          options,
        );
        const { password, shown } = await choosePassword(options);
        await valid(NewPassword, { password });
        await services.sessions.setPassword(operatorFor(member.organization), member, password);
        printMember(member, shown, options.json);
      }),
    );

  // Works even while the OpenID Connect issuer is down.
  addOne("sign-in-link", "print a one-time link that signs a member in and expires after 15 minutes").action(
    (email: string, { json }: Json) =>
      withServices(async ({ members, sessions, config }) => {
        const { SIGN_IN_LINK_PATH } = await import("../features/members/sign-in-link.http.js");
        const member = await members.byEmail(email);
        const token = await sessions.createLink(operatorFor(member.organization), member);
        const link = `${baseUrlOf(config)}${SIGN_IN_LINK_PATH}${token}`;
        const text = `${link}\n\nThe link signs in ${member.email} once and expires after 15 minutes.`;
        printResult(json, { email: member.email, link }, text);
      }),
  );

  addYesOption(addOne("sign-out", "end all of a member's sessions, effective on the next request")).action(
    (email: string, options: Json & Confirmation) =>
      withServices(async ({ members, sessions }) => {
        const member = await members.byEmail(email);
        await confirm(`End all sessions for ${member.email}?`, options);
        const ended = await sessions.endAll(operatorFor(member.organization), member);
        const text = `Ended ${counted(ended, "session")} for ${member.email}.`;
        printResult(options.json, { ended }, text);
      }),
  );

  const removes = "remove all of a member's passkeys, so that their password alone is enough to sign in";
  addYesOption(addOne("remove-passkeys", removes)).action((email: string, options: Json & Confirmation) =>
    withServices(async ({ members, passkeys }) => {
      const member = await members.byEmail(email);
      await confirm(`Remove all passkeys of ${member.email}?`, options);
      const removed = await passkeys.removeAll(operatorFor(member.organization), member);
      const text = `Removed ${counted(removed, "passkey")} of ${member.email}.`;
      printResult(options.json, { removed }, text);
    }),
  );
}

/** Reads the password from standard input, or generates one, which must be shown. */
async function choosePassword({
  passwordStdin,
}: PasswordOption): Promise<{ password: string; shown?: string }> {
  if (passwordStdin) return { password: await secretFromStdin() };
  const password = randomBase62(20);
  return { password, shown: password };
}

const describe = (member: Member): Row => recordOf(fieldsOf(member, "id email organization permissions"));

function printMember(member: Member, password: string | undefined, json: boolean | undefined): void {
  if (password === undefined) printRecord(json, describe(member));
  else printRecord(json, { ...describe(member), password }, "The password will not be shown again.");
}
