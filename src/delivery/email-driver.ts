import { once } from "node:events";
import { Readable } from "node:stream";
import { domainToASCII } from "node:url";
import type { NodemailerError } from "nodemailer/lib/errors";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import {
  AttemptOutcome,
  type OutboundMessage,
  PROVIDER_ID_MAX_LENGTH,
  SEND_TIMEOUT_MS,
  type Send,
  type SendResult,
} from "./driver";
import { connectionFailure, type Failure, failure, Interruption, onInterruption, quote } from "./failures";
import { MAILBOX, UNDELIVERABLE } from "./mailbox";
import { createSmtpConnection, quit } from "./smtp-connection";
import { BlockedTarget, type Targets } from "./targets";

const DEFAULT_SUBJECT = "New message";

/** Max message IDs in `References`, because servers reject long headers. */
const MAX_REFERENCES = 20;

/** The prefixes that mail programs add to the subject of a reply. */
const REPLY_PREFIX =
  /^(\s*(re|aw|antw|sv|vs|odp|ynt|rif|res|ref|回复|答复|回覆|返信)(\[\d+\])?\s*[:：])+\s*/i;

export interface EmailSettings {
  /** Name or address of the SMTP server. */
  host: string;
  port: number;
  /** `tls` from the first byte, mandatory `starttls`, or `none`, which production accepts only for allowed targets. */
  security: "tls" | "starttls" | "none";
  user?: string;
  password?: string;
  /** `address` or `Name <address>`. */
  from: string;
  subject?: string;
}

/** An e-mail with its envelope. */
interface Mail {
  content: Buffer;
  messageId: string;
  envelope: { from: string; to: string[] };
}

/**
 * Sends e-mail through an SMTP server and verifies the server's certificate.
 * @throws Error if `from` is not an address
 */
export function createEmailDriver(
  targets: Targets,
  settings: EmailSettings,
  { timeoutMs = SEND_TIMEOUT_MS } = {},
): Send {
  const compose = composer(settings);
  return async (message, attempt) => {
    let hasLeft = false;
    const ended = new AbortController();
    const mayLeave = () => {
      hasLeft = !ended.signal.aborted && attempt.mayLeave();
      return hasLeft;
    };
    let stop = () => {};
    try {
      const mail = await compose(message);
      const interrupted = new Promise<never>((_, reject) => {
        stop = onInterruption(attempt.signal, timeoutMs, reject);
      });
      const conditions = { mayLeave, signal: ended.signal, timeoutMs };
      return await Promise.race([interrupted, deliver(targets, settings, mail, conditions)]);
    } catch (error) {
      ended.abort();
      return failureOf(error, hasLeft, settings);
    } finally {
      stop();
    }
  };
}

/** Thrown if a message cannot be sent as e-mail; the error's message tells an operator why. */
class InvalidMail extends Error {
  override readonly name = "InvalidMail";
}

/**
 * Sends one e-mail over its own connection.
 * @param signal closes the connection
 */
async function deliver(
  targets: Targets,
  settings: EmailSettings,
  mail: Mail,
  { mayLeave, signal, timeoutMs }: { mayLeave: () => boolean; signal: AbortSignal; timeoutMs: number },
): Promise<SendResult> {
  const { host, port, security, user, password } = settings;
  const socket = targets.connect(host, port);
  signal.addEventListener("abort", () => socket.destroy());
  socket.on("error", () => undefined);
  await once(socket, "connect");
  if (security === "none" && !targets.allowsPlain(socket.remoteAddress ?? "")) {
    throw new BlockedTarget("In production, the mail server must be used with TLS.");
  }

  const connection = createSmtpConnection(socket, {
    host,
    ...(targets.heloName !== undefined && { name: targets.heloName }),
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    tls: targets.tls,
    socketTimeout: timeoutMs,
  });
  const info = await new Promise<SMTPConnection.SentMessageInfo>((resolve, reject) => {
    // The connection may report the cause after it ends.
    connection.once("end", () =>
      setImmediate(reject, Object.assign(new Error("closed"), { code: "ECONNECTION" })),
    );
    connection.on("error", reject);
    const content = contentOf(mail, mayLeave, reject);
    const send = () =>
      connection.send({ ...mail.envelope, size: mail.content.length }, content, (error, info) =>
        error ? reject(error) : resolve(info),
      );
    connection.connect((error) => {
      if (error) reject(error);
      else if (user === undefined) send();
      else connection.login({ user, pass: password }, (failed) => (failed ? reject(failed) : send()));
    });
  });
  quit(connection, socket);
  return { outcome: AttemptOutcome.accepted, providerId: providerIdOf(mail, info), isDelivered: false };
}

/** Returns the e-mail as a stream, which is read only after the server has replied to DATA. */
const contentOf = (mail: Mail, mayLeave: () => boolean, reject: (error: Error) => void): Readable =>
  new Readable({
    read() {
      if (!mayLeave()) {
        reject(new Interruption("lease_lost", "Another process took over the message."));
        return;
      }
      this.push(mail.content);
      this.push(null);
    },
  });

/** Returns the ID that bounces will refer to: some servers replace the given ID. */
function providerIdOf(
  { messageId }: Mail,
  { serverMessageId }: SMTPConnection.SentMessageInfo,
): string | null {
  const ids = [serverMessageId ?? messageId, messageId].map((id) => id.slice(1, -1));
  return ids.find((id) => id.length <= PROVIDER_ID_MAX_LENGTH) ?? null;
}

/**
 * @returns a function that turns messages into e-mails
 * @throws Error if `from` is not an address
 */
function composer({ from, subject = DEFAULT_SUBJECT }: EmailSettings) {
  // Loaded on demand, because most deployments have no e-mail line.
  const {
    default: Composer,
  }: typeof import("nodemailer/lib/mail-composer") = require("nodemailer/lib/mail-composer");
  const {
    default: parse,
  }: typeof import("nodemailer/lib/addressparser") = require("nodemailer/lib/addressparser");
  const [sender, ...others] = parse(from, { flatten: true });
  const domain = MAILBOX.exec(sender?.address ?? "")?.[1];
  if (!sender || !domain || others.length > 0) throw new Error("The sender is not a valid address.");

  return async ({
    id,
    to,
    text,
    html,
    subject: own,
    autoSubmitted,
    thread,
    unsubscribeUrl,
  }: OutboundMessage): Promise<Mail> => {
    if (to === null) throw new InvalidMail("The message has no recipient.");
    if (!MAILBOX.test(to)) throw new InvalidMail("The recipient is not a valid address.");
    const ownId = (id: string) => `<${id}@${domainToASCII(domain) || domain}>`;
    const messageId = ownId(id);
    const references = (thread?.references ?? [])
      .slice(-MAX_REFERENCES)
      .map((each) => (each.startsWith("<") ? each : ownId(each)));
    const answered = thread?.subject?.replace(REPLY_PREFIX, "");
    const node = new Composer({
      from: sender,
      to: { name: "", address: to },
      subject: answered ? `Re: ${answered}` : ((thread ? null : own) ?? subject),
      text,
      ...(html != null && { html: documentWith(html) }),
      messageId,
      ...(references.length > 0 && { inReplyTo: references.at(-1), references }),
      date: new Date(),
      // Tells other programs not to reply automatically, to prevent mail loops.
      headers: {
        ...(autoSubmitted !== null && { "Auto-Submitted": autoSubmitted }),
        ...(unsubscribeUrl !== undefined && unsubscribeHeaders(unsubscribeUrl)),
      },
      xMailer: false,
      disableFileAccess: true,
      disableUrlAccess: true,
    }).compile();
    const { from: sentBy, to: sentTo } = node.getEnvelope();
    return { content: await node.build(), messageId, envelope: { from: sentBy || "", to: sentTo } };
  };
}

/** Makes mail programs show a button that unsubscribes without opening the page (RFC 2369, RFC 8058). */
const unsubscribeHeaders = (url: string) => ({
  "List-Unsubscribe": `<${url}>`,
  ...(url.startsWith("https:") && { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }),
});

/** Returns a complete HTML document, which some mail filters require. */
const documentWith = (html: string): string =>
  `<!doctype html>\n<html><head><meta charset="utf-8"></head><body>\n${html}\n</body></html>\n`;

/** Replies that require or reject a login. */
const AUTHENTICATION_REPLIES = [530, 534, 535, 538];

/**
 * Enhanced status codes about the sending account, host or domain: RFC 3463 (sender's address), RFC 4954 (login),
 * RFC 7372 (SPF, DKIM, reverse DNS, DMARC) and Exchange (relay, permission to send).
 */
const LINE_STATUS = /\b5\.(1\.[78]|7\.([89]|1[0-4]|2[0-7]|5[47]|60|64|70[5-8]|750))\b/;

/** Returns the enhanced status code of a reply (RFC 2034); empty if there is none. */
const statusOf = (response: string): string => /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] ?? "";

/** Replies of servers that check the client and the sender only once they receive the recipient. */
const LINE_TEXT =
  /\brelay|\brcpthosts\b|\bhelo\b|\bclient (host|was not)|\bsender (address )?(rejected|not)|\bauthentication (is )?required|\bnot (authenticated|logged in)|\bblocked using\b/i;

/** Status codes about the recipient (RFC 3463). */
const RECIPIENT_STATUS = /\b5\.(1\.([1-46]|10)|2\.\d+)\b/;

/** Status codes for a message that is too large, or an address that the server cannot send to (RFC 1870, 6531). */
const MESSAGE_STATUS = /^552\b|\b5\.(2\.3|3\.4|6\.\d+)\b/;

/** Addresses and host names, whose words must not be mistaken for the reason. */
const NAMES = /<[^<>]*>|\S+@\S+|\b[\w-]+(\.[\w-]+)+/g;

/** True if a permanent reply to a mail transaction command rejects the line, not just this message. */
const isLineRejection = (command: string, response: string): boolean =>
  LINE_STATUS.test(response) ||
  (command === "RCPT TO" &&
    !RECIPIENT_STATUS.test(response) &&
    LINE_TEXT.test(response.replace(NAMES, " "))) ||
  (command === "MAIL FROM" && !MESSAGE_STATUS.test(response));

const lineFault = (code: string, detail: string, isPermanent = true): Failure => ({
  ...failure(AttemptOutcome.retryable, code, detail),
  lineFault: isPermanent ? "permanent" : "temporary",
});

/**
 * Returns the failure for an error. A reply is a permanent rejection only if it concerns the message, that is, its
 * recipient or text. Replies about the session (greeting, TLS, login), the sender or relaying are faults of the line:
 * like Postfix, the gateway retries until the message expires, so that messages are delivered once the settings are
 * fixed.
 */
function failureOf(error: unknown, hasLeft: boolean, { password = "" }: EmailSettings): Failure {
  if (error instanceof InvalidMail) {
    return failure(AttemptOutcome.permanent, "invalid_message", error.message);
  }
  const { code, command = "", responseCode = 0, response = "", permanent } = error as NodemailerError;
  const said = quote(response, [password]);
  const isTemporary = responseCode >= 400 && responseCode < 500;
  if (code === "EAUTH" || AUTHENTICATION_REPLIES.includes(responseCode)) {
    // A server may quote the rejected command, including the password.
    const reply = responseCode === 0 ? "" : ` (${responseCode})`;
    return lineFault("auth", `The server rejected the login${reply}.`, !isTemporary);
  }
  if (code === "ETLS") return lineFault("tls", `The server does not support TLS${said}`, !isTemporary);
  if (responseCode === 0) {
    // Nodemailer rejected the message before contacting the server.
    return response === "" && (code === "EENVELOPE" || code === "EMESSAGE")
      ? failure(
          AttemptOutcome.permanent,
          "invalid_message",
          "The server does not accept messages in this format.",
        )
      : disconnection(error, hasLeft);
  }
  const isPermanent = responseCode >= 500 && responseCode < 600;
  const status = `smtp_${responseCode}`;
  if (!["MAIL FROM", "RCPT TO", "DATA"].includes(command)) {
    const detail = `The server rejected the connection${said}`;
    return hasLeft && !isTemporary && !isPermanent
      ? failure(AttemptOutcome.uncertain, status, detail)
      : lineFault(status, detail, isPermanent);
  }
  if (isPermanent && isLineRejection(command, response))
    return lineFault(status, `The server does not accept e-mail from the line${said}`);
  if (isPermanent && command === "RCPT TO" && UNDELIVERABLE.test(statusOf(response)))
    return {
      ...failure(AttemptOutcome.permanent, status, `The server rejected the message${said}`),
      isUndeliverable: true,
    };
  const outcome =
    hasLeft && !isTemporary && !isPermanent ? AttemptOutcome.uncertain : AttemptOutcome.retryable;
  return failure(
    permanent ? AttemptOutcome.permanent : outcome,
    status,
    `The server rejected the message${said}`,
  );
}

/** Returns the failure for a broken connection; the line is at fault if no part of the message was sent. */
function disconnection(error: unknown, hasLeft: boolean): Failure {
  const { outcome, code, detail } = connectionFailure(error, hasLeft);
  if (outcome === AttemptOutcome.uncertain || code === "aborted" || code === "lease_lost")
    return { outcome, code, detail };
  return lineFault(code, detail, code === "tls" || error instanceof BlockedTarget);
}
