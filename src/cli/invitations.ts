import type { Command } from "commander";
import { operatorFor } from "../auth/context";
import { noSuch } from "../errors";
import type { Invitation } from "../features/members/invitation.entity";
import { InvitationMail, InviteMemberInput } from "../features/members/invitation.inputs";
import { normalizeEmail } from "../features/members/member.service";
import { validateInput } from "../schema/validate-input";
import { addPermissionOptions, permissionsOf } from "./members";
import { print, printJson, printRecord, printTable } from "./output";
import { withServices } from "./services";

interface Options {
  org: string;
  json?: boolean;
}

type InviteOptions = Options & { email: string; manage?: boolean; permissions?: string[] };

const MAIL_NOTES: Readonly<Record<InvitationMail, string>> = {
  [InvitationMail.sent]: "The link was also sent by e-mail.",
  [InvitationMail.failed]: "The mail server did not accept the e-mail. Pass on the link yourself.",
  [InvitationMail.off]:
    "The server does not send e-mail (SMTP_URL and MAIL_FROM are not set). Pass on the link yourself.",
};

/** Adds the commands of `gateway members` for invitations. */
export function addInvitationCommands(members: Command): void {
  addPermissionOptions(members.command("invite"))
    .description("invite a person with a one-time link, shown only once, that expires after 72 hours")
    .requiredOption("--org <slug>", "organization of the new member")
    .requiredOption("--email <address>", "e-mail address of the person")
    .option("--json", "print one JSON object")
    .action((options: InviteOptions) =>
      withServices(async ({ organizations, invitations }) => {
        const permissions = permissionsOf(options);
        const input = Object.assign(new InviteMemberInput(), { email: options.email, permissions });
        await validateInput(input);
        const context = operatorFor(await organizations.bySlug(options.org));
        const { invitation, link, mail } = await invitations.invite(context, input);
        if (options.json) printJson({ ...describe(invitation), link, mail });
        else {
          printRecord({ ...toRow(describe(invitation)), link });
          print(`\nThe link will not be shown again. ${mail && MAIL_NOTES[mail]}`);
        }
      }),
    );

  members
    .command("invitations")
    .description("list the pending invitations of an organization")
    .requiredOption("--org <slug>", "slug of the organization")
    .option("--json", "print one JSON array")
    .action(({ org, json }: Options) =>
      withServices(async ({ organizations, invitations }) => {
        const found = (await invitations.list(operatorFor(await organizations.bySlug(org)))).map(describe);
        if (json) printJson(found);
        else printTable(found.map(toRow), "The organization has no pending invitations.");
      }),
    );

  members
    .command("withdraw")
    .description("withdraw a pending invitation; its link stops working")
    .argument("<email>", "e-mail address of the person")
    .requiredOption("--org <slug>", "organization that the person was invited to")
    .option("--json", "print one JSON object")
    .action((email: string, { org, json }: Options) =>
      withServices(async ({ organizations, invitations }) => {
        const context = operatorFor(await organizations.bySlug(org));
        const pending = (await invitations.list(context)).find(
          (each) => each.email === normalizeEmail(email),
        );
        if (pending === undefined) throw noSuch("invitation");
        const withdrawn = await invitations.withdraw(context, pending.id);
        if (json) printJson(describe(withdrawn));
        else print(`Withdrew the invitation for ${withdrawn.email}.`);
      }),
    );
}

const describe = ({ id, email, organization, permissions, invitedBy, createdAt, expiresAt }: Invitation) => ({
  id,
  email,
  organization: organization.slug,
  permissions,
  invitedBy,
  createdAt,
  expiresAt,
});

const toRow = ({ permissions, ...rest }: ReturnType<typeof describe>) => ({
  ...rest,
  permissions: permissions.join(", ") || "(none)",
});
