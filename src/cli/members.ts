import { Argument, type Command } from "commander";
import type { Permission } from "../auth/permissions";
import type { Member } from "../features/members/member.entity";
import { mutation, query } from "./client";
import { addYesOption, type Confirmation, confirm } from "./confirm";
import { withRun } from "./connect";
import { addOrganizationOption, withMember } from "./lookups";
import { enumNames, type Json, printResult, printRows, type Row, recordOf } from "./output";
import { choicesOf, commaSeparated } from "./values";

const MEMBER = "id email name organization { slug } permissions";

const LIST = query("members", "", MEMBER);
const UNLINK = mutation("unlinkIdentity", MEMBER);
const REMOVE = mutation("removeMember", MEMBER);

const PERMISSIONS = choicesOf<Permission>({
  "config:manage": true,
  "conversations:read": true,
  "conversations:write": true,
});

interface PermissionOptions {
  manage?: boolean;
  permissions?: string[];
}

/** Adds the options that set a new member's permissions. */
export const addPermissionOptions = (command: Command): Command =>
  command
    .option("--manage", "grant config:manage")
    .option(
      "--permissions <permissions>",
      `comma-separated permissions to grant (${PERMISSIONS.join(", ")})`,
      commaSeparated,
    );

/** Returns the permissions given by the options, exactly as the user typed them. */
export const permissionsOf = ({ manage, permissions = [] }: PermissionOptions): string[] => [
  ...(manage ? ["config:manage"] : []),
  ...permissions,
];

/** Adds the commands of `gateway members` for existing members. */
export function addMemberCommands(members: Command): void {
  const addOne = (name: string, description: string) =>
    members.command(name).description(description).argument("<email>", "the member");

  addOrganizationOption(members.command("list"))
    .description("list an organization's members")
    .option("--json", "print one JSON array")
    .action(({ org, json }: Json & { org?: string }) =>
      withRun({ org }, async (run) => {
        const found = await run<Member[]>(LIST);
        printRows(json, found, "id email name organization permissions", "The organization has no members.");
      }),
    );

  for (const [name, change, description] of [
    ["grant", "grantPermission", "grant a member a permission, effective on the next request"],
    ["revoke", "revokePermission", "revoke a permission from a member, effective on the next request"],
  ] as const) {
    const command = addOne(name, description);
    if (name === "revoke") addYesOption(command);
    command
      .addArgument(new Argument("<permission>", "name of the permission").choices(PERMISSIONS))
      .action((email: string, permission: Permission, options: Json & Confirmation) =>
        withMember(email, async (run, { id: memberId }) => {
          if (name === "revoke") await confirm(`Revoke ${permission} from ${email}?`, options);
          const input = { memberId, permission: enumNames([permission])[0] };
          const member = recordOf(await run<Member>(mutation(change, MEMBER), { input }));
          printResult(options.json, member, heldBy(member));
        }),
      );
  }

  const unlinks = "unlink a member's OpenID Connect account and end the sessions opened with it";
  addYesOption(addOne("unlink", unlinks)).action((email: string, options: Json & Confirmation) =>
    withMember(email, async (run, { id: memberId }) => {
      await confirm(`Unlink the account of ${email} and end the sessions opened with it?`, options);
      const member = await run<Member>(UNLINK, { input: { memberId } });
      const done = `Unlinked ${member.email}. Their next OpenID Connect sign-in will link an account.`;
      printResult(options.json, recordOf(member), done);
    }),
  );

  const removes = "remove a member and end all of the member's sessions, effective on the next request";
  addYesOption(addOne("remove", removes)).action((email: string, options: Json & Confirmation) =>
    withMember(email, async (run, { id, organization: { slug } }) => {
      await confirm(`Remove ${email} from ${slug}?`, options);
      const removed = await run<Member>(REMOVE, { input: { id } });
      printResult(options.json, recordOf(removed), `Removed ${removed.email} from ${slug}.`);
    }),
  );

  for (const [name, description, columns, whenEmpty] of [
    [
      "sessions",
      "list a member's active sessions, newest first",
      "id createdAt expiresAt ip userAgent",
      "The member has no active sessions.",
    ],
    [
      "passkeys",
      "list a member's passkeys, oldest first",
      "id name createdAt lastUsedAt",
      "The member has no passkeys.",
    ],
  ] as const)
    addOne(name, description)
      .option("--json", "print one JSON array")
      .action((email: string, { json }: Json) =>
        withMember(email, async (run, { id: memberId }) =>
          printRows(
            json,
            await run<Row[]>(query(name, "memberId: ID", columns), { memberId }),
            columns,
            whenEmpty,
          ),
        ),
      );
}

/** Returns a sentence that lists a member's permissions. */
export const heldBy = ({ email, permissions }: Row): string =>
  `Permissions for ${email}: ${(permissions as string[]).join(", ") || "(none)"}.`;
