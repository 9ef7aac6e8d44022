import { v7 as uuid } from "uuid";
import { timestamp } from "../common/time";
import type { Config } from "../config";
import { AttemptOutcome } from "./driver";
import { createEmailDriver } from "./email-driver";
import { Targets } from "./targets";

/** Max time that the mail server may take (ms). */
const TIMEOUT_MS = 10_000;

/** All networks: the operator chose the server, unlike the servers of lines. */
const ANYWHERE = ["0.0.0.0/0", "::/0"];

/** An e-mail from the gateway itself, to a member or an invited person. */
export interface SystemMail {
  to: string;
  subject: string;
  text: string;
}

/**
 * Sends an e-mail once.
 * @returns undefined if the mail server accepted it; otherwise a short error code
 */
export type SendMail = (mail: SystemMail) => Promise<string | undefined>;

/** Creates the function that sends e-mails through the server's own mail server (`SMTP_URL`); undefined if there is none. */
export function createMailer({
  mail: server,
  environment,
  heloName,
}: Pick<Config, "mail" | "environment" | "heloName">): SendMail | undefined {
  if (server === undefined) return undefined;
  const targets = new Targets({ environment, allowPrivateTargets: ANYWHERE, heloName });
  return async ({ to, subject, text }) => {
    const send = createEmailDriver(targets, { ...server, subject }, { timeoutMs: TIMEOUT_MS });
    const message = {
      id: uuid(),
      autoSubmitted: "auto-generated" as const,
      conversationId: null,
      contactId: null,
      to,
      text,
      createdAt: timestamp(),
    };
    const attempt = { number: 1, signal: new AbortController().signal, mayLeave: () => true };
    const result = await send(message, attempt);
    // The detail may quote the e-mail, including its links.
    return result.outcome === AttemptOutcome.accepted ? undefined : result.code;
  };
}
