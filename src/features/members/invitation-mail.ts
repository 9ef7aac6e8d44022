import { v7 as uuid } from "uuid";
import { HOUR_MS, timestamp } from "../../common/time";
import type { Config } from "../../config";
import { AttemptOutcome } from "../../delivery/driver";
import { createEmailDriver } from "../../delivery/email-driver";
import { Targets } from "../../delivery/targets";
import type { Invitation } from "./invitation.entity";

/** Validity period of an invitation. */
export const INVITATION_LIFETIME_MS = 72 * HOUR_MS;

/** Max time the inviting member waits for the mail server (ms). */
const MAIL_TIMEOUT_MS = 10_000;

/** All networks: the operator chose the server, unlike the servers of lines. */
const ANYWHERE = ["0.0.0.0/0", "::/0"];

/**
 * Sends an invitation link by e-mail.
 * @returns undefined if the mail server accepted the e-mail; otherwise a short error code
 */
export type SendLink = (invitation: Invitation, link: string) => Promise<string | undefined>;

/** Creates the function that sends links through the configured mail server; undefined if none is configured. */
export function createLinkMailer({
  mail,
  environment,
  heloName,
}: Pick<Config, "mail" | "environment" | "heloName">): SendLink | undefined {
  if (mail === undefined) return undefined;
  const targets = new Targets({ environment, allowPrivateTargets: ANYWHERE, heloName });
  return async (invitation, link) => {
    const subject = `Invitation to ${invitation.organization.name}`;
    const send = createEmailDriver(targets, { ...mail, subject }, { timeoutMs: MAIL_TIMEOUT_MS });
    const message = {
      id: uuid(),
      autoSubmitted: "auto-generated" as const,
      conversationId: null,
      contactId: null,
      to: invitation.email,
      text: textOf(invitation, link),
      createdAt: timestamp(),
    };
    const result = await send(message, {
      number: 1,
      signal: new AbortController().signal,
      mayLeave: () => true,
    });
    // The detail may quote the e-mail, including the link.
    return result.outcome === AttemptOutcome.accepted ? undefined : result.code;
  };
}

const textOf = ({ organization, email, invitedBy }: Invitation, link: string): string =>
  `${invitedBy === "command line" ? "An administrator" : invitedBy} invites you to ${organization.name}.

Open this link to choose a password:

${link}

The link works once, within ${INVITATION_LIFETIME_MS / HOUR_MS} hours. Later, sign in as ${email}.

If you did not expect this mail, ignore it.
`;
