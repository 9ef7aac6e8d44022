import { v7 as uuid } from "uuid";
import { timestamp } from "../common/time";
import type { Config } from "../config";
import { type Attempt, AttemptOutcome } from "./driver";
import { createEmailDriver } from "./email-driver";
import type { Failure } from "./failures";
import { Targets } from "./targets";

/** Max time until an e-mail's text is sent, and then until the mail server has accepted it (ms). */
const TIMEOUT_MS = 10_000;

/** Allows every address, because the operator chose this server; members choose only the servers of lines. */
const ANYWHERE = ["0.0.0.0/0", "::/0"];

/** An e-mail from the gateway itself, to a member or an invited person. */
export interface SystemMail {
  /** ID for the `Message-ID`, the same on every attempt; a new one by default. */
  id?: string;
  to: string;
  subject: string;
  text: string;
}

/** Sends an e-mail once; returns undefined if the mail server accepted it, or the outcome and an error code. */
export type SendMail = (
  mail: SystemMail,
  attempt?: Pick<Attempt, "signal" | "mayLeave">,
) => Promise<Pick<Failure, "outcome" | "code"> | undefined>;

/** Creates the function that sends e-mails through the gateway's own server (`SMTP_URL`); undefined without one. */
export function createMailer({
  mail: server,
  environment,
  heloName,
}: Pick<Config, "mail" | "environment" | "heloName">): SendMail | undefined {
  if (server === undefined) return undefined;
  const targets = new Targets({ environment, allowPrivateTargets: ANYWHERE, heloName });
  return async ({ id = uuid(), to, subject, text }, attempt) => {
    const send = createEmailDriver(targets, { ...server, subject }, { timeoutMs: TIMEOUT_MS });
    const message = {
      id,
      autoSubmitted: "auto-generated" as const,
      conversationId: null,
      contactId: null,
      to,
      text,
      createdAt: timestamp(),
    };
    const { signal = new AbortController().signal, mayLeave = () => true } = attempt ?? {};
    const result = await send(message, { number: 1, signal, mayLeave });
    // The detail may quote the e-mail, including its links.
    if (result.outcome === AttemptOutcome.accepted) return undefined;
    return { outcome: result.outcome, code: result.code };
  };
}
