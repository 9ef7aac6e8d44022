import type { Command } from "commander";
import { noSuch } from "../errors";
import type { Invitation } from "../features/members/invitation.entity";
import type { InvitationMail, NewInvitation } from "../features/members/invitation.inputs";
import { mutation, query } from "./client";
import { withRun } from "./connect";
import { addOrganizationOption } from "./lookups";
import { addPermissionOptions, permissionsOf } from "./members";
import { enumNames, type Json, printRecord, printResult, printRows, recordOf } from "./output";

const COLUMNS = "id email organization permissions invitedBy createdAt expiresAt";
const INVITATION = COLUMNS.replace("organization", "organization { slug }");

const LIST = query("invitations", "", INVITATION);
const INVITE = mutation("inviteMember", `invitation { ${INVITATION} } link mail`);
const WITHDRAW = mutation("withdrawInvitation", INVITATION);

const MAIL_NOTES: Readonly<Record<InvitationMail, string>> = {
  sent: "The link was also sent by e-mail.",
  failed: "The mail server did not accept the e-mail. Send the link yourself.",
  off: "The server does not send e-mail (SMTP_URL and MAIL_FROM are not set). Send the link yourself.",
};

interface Options extends Json {
  org?: string;
}

type InviteOptions = Options & { email: string; manage?: boolean; permissions?: string[] };

/** Adds the commands of `gateway members` for invitations. */
export function addInvitationCommands(members: Command): void {
  addPermissionOptions(addOrganizationOption(members.command("invite")))
    .description("invite a person with a one-time link, shown only once, that expires after 72 hours")
    .requiredOption("--email <address>", "e-mail address of the person")
    .action(({ org, json, email, ...options }: InviteOptions) =>
      withRun({ org }, async (run) => {
        const input = { email, permissions: enumNames(permissionsOf(options)) };
        const { invitation, link, mail } = await run<NewInvitation>(INVITE, { input });
        const record = { ...recordOf(invitation), link, ...(json && { mail }) };
        printRecord(json, record, `The link will not be shown again. ${mail && MAIL_NOTES[mail]}`);
      }),
    );

  addOrganizationOption(members.command("invitations"))
    .description("list an organization's pending invitations")
    .option("--json", "print one JSON array")
    .action(({ org, json }: Options) =>
      withRun({ org }, async (run) => {
        const found = await run<Invitation[]>(LIST);
        printRows(json, found, COLUMNS, "The organization has no pending invitations.");
      }),
    );

  addOrganizationOption(members.command("withdraw"))
    .description("withdraw a pending invitation; its link stops working")
    .argument("<email>", "e-mail address of the person")
    .action((email: string, { org, json }: Options) =>
      withRun({ org }, async (run) => {
        const address = email.trim().toLowerCase();
        const pending = (await run<Invitation[]>(LIST)).find((each) => each.email === address);
        if (pending === undefined) throw noSuch("invitation");
        const withdrawn = await run<Invitation>(WITHDRAW, { input: { id: pending.id } });
        printResult(json, recordOf(withdrawn), `Withdrew the invitation for ${withdrawn.email}.`);
      }),
    );
}
