import type { NodemailerError } from "nodemailer/lib/errors";
import { InvalidMail } from "./compose-mail";
import { AttemptOutcome } from "./driver";
import { connectionFailure, type Failure, failure, quote } from "./failures";
import { UNDELIVERABLE } from "./mailbox";
import { BlockedTarget } from "./targets";

/** Replies that require or reject a login. */
const AUTHENTICATION_REPLIES = [530, 534, 535, 538];

/**
 * Enhanced status codes about the sending account, host or domain: RFC 3463 (sender's address), RFC 4954 (login),
 * RFC 7372 (SPF, DKIM, reverse DNS, DMARC) and Exchange (relay, permission to send).
 */
const LINE_STATUS = /\b5\.(1\.[78]|7\.([89]|1[0-4]|2[0-7]|5[47]|60|64|70[5-8]|750))\b/;

/** Returns the enhanced status code of a reply (RFC 2034); empty if there is none. */
const statusOf = (response: string): string => /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] ?? "";

/** Replies from servers that check the client and the sender only after they receive the recipient. */
const LINE_TEXT =
  /\brelay|\brcpthosts\b|\bhelo\b|\bclient (host|was not)|\bsender (address )?(rejected|not)|\bauthentication (is )?required|\bnot (authenticated|logged in)|\bblocked using\b/i;

/** Status codes about the recipient (RFC 3463). */
const RECIPIENT_STATUS = /\b5\.(1\.([1-46]|10)|2\.\d+)\b/;

/** Status codes for a message that is too large, or an address that the server cannot send to (RFC 1870, 6531). */
const MESSAGE_STATUS = /^552\b|\b5\.(2\.3|3\.4|6\.\d+)\b/;

/**
 * Matches addresses and host names, because their words must not be mistaken for the reason. The lookbehinds keep a long
 * word from being searched again from each of its characters.
 */
const NAMES = /(?<!\S)\S+@\S+|(?<![\w-])[\w-]+(\.[\w-]+)+/g;

/** True if a permanent reply to a mail transaction command rejects the line, not just this message. */
const isLineRejection = (command: string, response: string): boolean =>
  LINE_STATUS.test(response) ||
  (command === "RCPT TO" &&
    !RECIPIENT_STATUS.test(response) &&
    LINE_TEXT.test(response.replace(/<[^<>]*>/g, " ").replace(NAMES, " "))) ||
  (command === "MAIL FROM" && !MESSAGE_STATUS.test(response));

const lineFault = (code: string, detail: string, isPermanent = true): Failure => ({
  ...failure(AttemptOutcome.retryable, code, detail),
  lineFault: isPermanent ? "permanent" : "temporary",
});

/**
 * Returns the failure for an error. A reply is a permanent rejection only if it concerns the message's recipient or
 * text. Replies about the session (greeting, TLS, login), the sender or relaying are faults of the line. Like Postfix,
 * the gateway then retries until the message expires, so that messages are delivered after the settings are fixed.
 */
export function failureOf(error: unknown, hasLeft: boolean, password = ""): Failure {
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

/** Returns the failure for a broken connection; the line is at fault unless the gateway ended the attempt. */
function disconnection(error: unknown, hasLeft: boolean): Failure {
  const { outcome, code, detail } = connectionFailure(error, hasLeft);
  if (code === "aborted" || code === "lease_lost") return { outcome, code, detail };
  if (outcome === AttemptOutcome.uncertain) return { outcome, code, detail, lineFault: "temporary" };
  return lineFault(code, detail, code === "tls" || error instanceof BlockedTarget);
}
