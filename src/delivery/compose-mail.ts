import { domainToASCII } from "node:url";
import type { OutboundMessage } from "./driver";
import { MAILBOX } from "./mailbox";

const DEFAULT_SUBJECT = "New message";

/** Max message IDs in `References`; servers reject long headers. */
const MAX_REFERENCES = 20;

/** The prefixes that mail programs add to the subject of a reply. */
const REPLY_PREFIX =
  /^(\s*(re|aw|antw|sv|vs|odp|ynt|vá|rif|res|ref|回复|答复|回覆|返信)(\[\d+\])?\s*[:：])+\s*/i;

export interface Mail {
  content: Buffer;
  messageId: string;
  envelope: { from: string; to: string[] };
}

/** Thrown if a message cannot be sent as e-mail; the error's message explains the reason to operators. */
export class InvalidMail extends Error {
  override readonly name = "InvalidMail";
}

/** Returns a function that turns messages into e-mails; throws if `from` is not an address. */
export function composer({ from, subject = DEFAULT_SUBJECT }: { from: string; subject?: string }) {
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

  return async (message: OutboundMessage): Promise<Mail> => {
    const { id, to, text, html, subject: own, autoSubmitted, thread, unsubscribeUrl } = message;
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
      // Prevents mail loops: other programs do not send automatic replies to such e-mails.
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

/** Returns a complete HTML document, because some mail filters require one. */
const documentWith = (html: string): string =>
  `<!doctype html>\n<html><head><meta charset="utf-8"></head><body>\n${html}\n</body></html>\n`;
