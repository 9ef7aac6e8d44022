import { HOUR_MS } from "../../common/time";
import type { Config } from "../../config";
import type { SystemMail } from "../../delivery/mailer";
import type { Invitation } from "./invitation.entity";

/** Validity period of an invitation. */
export const INVITATION_LIFETIME_MS = 72 * HOUR_MS;

/** Returns the e-mail that contains an invitation's link. */
export const invitationMail = (
  { organization, email, invitedBy }: Invitation,
  link: string,
  { oidc }: Pick<Config, "oidc">,
): SystemMail => ({
  to: email,
  subject: `Invitation to ${organization.name}`,
  text: `${invitedBy === "command line" ? "An administrator" : invitedBy} has invited you to ${organization.name}.

Open this link to ${oidc?.isOnly ? `sign in with ${oidc.name}` : "choose a password"}:

${link}

The link works once and expires after ${INVITATION_LIFETIME_MS / HOUR_MS} hours. Later, sign in as ${email}.

If you did not expect this e-mail, ignore it.
`,
});
