import { setImmediate } from "node:timers/promises";
import { grouped } from "../../common/grouped";
import { INVISIBLE } from "../../common/invisible";
import { LAST_MOMENT_MS, timestamp, timestampOf } from "../../common/time";
import { sha256 } from "../../credentials/sha256";
import { UNDELIVERABLE } from "../../delivery/mailbox";
import { InvalidInput } from "../../errors";
import { normalizeAddress } from "../contacts/addresses";
import { CONTACT_NAME_MAX_LENGTH } from "../contacts/contact.limits";
import { AddressKind } from "../contacts/contact-address.entity";
import { OMITTED_MAX_LENGTH, SUBJECT_MAX_LENGTH, THREAD_MAX_LENGTH } from "../messages/message.entity";
import { MessageStatus } from "../messages/message.enums";
import { MESSAGE_TEXT_MAX_LENGTH } from "../messages/message.limits";
import type { Receipt } from "../messages/receipts";
import { type Inbound, OWN_MESSAGE_ID } from "./arrivals";
import { optOutIntent } from "./opt-out";
import { type DividedText, isSignature, ownWords } from "./own-words";
import { type MailLine, type ParsedMail, parseMail } from "./parse-mail";

export interface MailReport {
  /** A failed message from the gateway, or a message that its recipient complained about. */
  report: { failure: Omit<Receipt, "lineId"> } | { complaintAbout: Receipt["message"] } | undefined;
}

/**
 * Parses an e-mail (RFC 5322).
 * @param raw the bytes as received, in chunks; the buffers may be empty afterwards
 * @param id identifies the e-mail if it has no `Message-ID`
 * @param optOutWords additional words that opt out
 * @param line the line that received the e-mail; its organization's e-mails are parsed one at a time
 * @returns a contact's message, or a mail server's report, which is empty if it requires no action
 * @throws InvalidInput for an e-mail that has no sender or cannot be parsed
 * @throws GatewayError `unavailable` if too many e-mails are waiting
 */
export async function readMail(
  raw: readonly Buffer[],
  { id, optOutWords = [], ...line }: { id: string; optOutWords?: readonly string[] } & MailLine,
): Promise<Inbound | MailReport> {
  const mail = await parseMail(raw, line);
  if (mail === undefined) throw new InvalidInput([{ path: "body", message: "is not a readable e-mail" }]);
  const from = mail.senders.find(isAddress);
  const report = reportOf(mail);
  if (report !== undefined || mail.isReport || (from === undefined && mail.isAutomatic)) return { report };
  if (from === undefined) throw new InvalidInput([{ path: "From", message: "must have one address" }]);
  const plain = divided(mail);
  // Yields to the event loop, because splitting malicious text can take 20 ms.
  if (mail.html !== undefined) await setImmediate();
  // Unlike HTML, plain text may mark quotations by indentation alone.
  const rich = mail.html === undefined ? plain : divided({ ...mail, text: mail.html });
  const isRicher = plain.quoted === "" && rich.quoted !== "" && rich.own !== "";
  const { whole, own, quoted, omitted } = isRicher ? rich : plain;
  const subject = [...singleLine(mail.subject)].slice(0, SUBJECT_MAX_LENGTH).join("");
  // In a forwarded or new e-mail, the quotation is part of the message; in a reply, it is not, even if the
  // reply has no other text.
  const isNew = mail.references.length === 0 && !REPLIED.test(subject) && !isSignature(quoted);
  const isWhole = own === "" && (subject === "" || FORWARDED.test(subject) || isNew);
  const text = isWhole ? whole : own || subject;
  return {
    providerId: providerIdOf(
      /^[<>\s]*$/.test(mail.messageId) ? [id] : [mail.messageId, mail.date || sha256(mail.text)],
      from.address,
    ),
    from: from.address,
    name: nameOf(from.name),
    ...(mail.author !== undefined &&
      isAddress(mail.author) && {
        author: { from: mail.author.address, name: nameOf(mail.author.name) || nameOf(from.name) },
      }),
    lists: mail.lists,
    text,
    // An e-mail that opts out in its subject may have no text besides a signature.
    optOutText:
      [plain.own, rich.own].find((each) => optOutIntent(each, optOutWords) !== undefined) ?? (own || subject),
    mail: {
      subject: subject || null,
      quoted: isWhole ? null : quoted || null,
      thread: threadOf(mail),
    },
    sentAt: sentAtOf(mail.date),
    omitted,
    isAutomatic: mail.isAutomatic,
    isProgram: mail.isProgram,
  };
}

function reportOf({ report, isReport, date }: ParsedMail): MailReport["report"] {
  if (report === undefined) return undefined;
  const [id] = report.messageId.match(OWN_MESSAGE_ID) ?? [];
  // An e-mail that is neither a mail server's report nor a complaint may be from a contact, so it is treated
  // as a report only if it contains the `Message-ID` of one of the gateway's e-mails.
  const mayBeReplaced = isReport || report.isComplaint;
  const [providerId] = (mayBeReplaced && report.messageId.match(/(?<=<)[^<>\s]+(?=>)/)) || [];
  const message = id !== undefined ? { id } : providerId !== undefined ? { providerId } : undefined;
  if (message === undefined) return undefined;
  if (report.isComplaint) return { complaintAbout: message };
  const failure = {
    message,
    status: MessageStatus.failed,
    at: sentAtOf(date),
    errorText: singleLine(report.detail),
    isUndeliverable: UNDELIVERABLE.test(report.status),
  } as const;
  return { failure };
}

/** Matches subjects of forwarded e-mails; `vs` marks both a forwarded e-mail and a Finnish reply. */
const FORWARDED = /^\s*(fwd?|wg|tr|rv|enc|doorst|vs|vb|vl|pd|i|továbbítás|[iİ]lt|转发|轉寄|転送)\s*[:：]/i;

/** Matches subjects of replies, because some programs do not send `References`. */
const REPLIED =
  /^\s*(re|ré|aw|antw(ort)?|res|r|sv|vs|vast|odp|ynt|vá|ответ|отв|απ|返信|回复|回覆|答复|답장)(\[\d+\])?\s*[:：]/i;

/** Returns the part of an e-mail's text to store, split by `ownWords`, and a description of the omitted parts. */
function divided({
  text,
  attachments,
  attachmentNames,
  isPartial,
}: ParsedMail): DividedText & { whole: string; omitted: string | null } {
  const characters = [...storable(text)];
  const names = attachmentNames.map((name) => singleLine(name)).filter((name) => name !== "");
  const omitted = [
    ...(attachments === 0
      ? []
      : [
          `${attachments} ${attachments === 1 ? "attachment" : "attachments"}${names.length === 0 ? "" : ` (${names.join(", ")})`}`,
        ]),
    ...(characters.length > MESSAGE_TEXT_MAX_LENGTH
      ? [`the text after ${grouped(MESSAGE_TEXT_MAX_LENGTH)} characters`]
      : []),
    ...(isPartial ? ["the rest of the e-mail"] : []),
  ];
  const whole = characters.slice(0, MESSAGE_TEXT_MAX_LENGTH).join("");
  return {
    ...ownWords(whole),
    whole,
    omitted: omitted.length === 0 ? null : [...omitted.join(" and ")].slice(0, OMITTED_MAX_LENGTH).join(""),
  };
}

/** Replaces characters that one of the databases cannot store. */
const storable = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd");

const INVISIBLE_RUN = new RegExp(`(?:${INVISIBLE.source})+`, "gu");

const singleLine = (text: string): string => text.toWellFormed().replace(INVISIBLE_RUN, " ").trim();

const nameOf = (text: string): string | null =>
  [...singleLine(text)].slice(0, CONTACT_NAME_MAX_LENGTH).join("").trim() || null;

/**
 * Returns the stored ID of an e-mail: a hash of `Message-ID`, sender and `Date`. It includes the sender because anyone
 * can reuse another e-mail's `Message-ID`, and `Date` (or the text if there is none) because some programs use a single
 * `Message-ID`. It is hashed because IDs appear in events, which hold no addresses and outlive an erased contact.
 */
const providerIdOf = ([messageId, ...date]: [string, ...string[]], from: string): string =>
  sha256([messageId.trim().replace(/^<(.*)>$/, "$1"), from.toLowerCase(), ...date].join(" ").trim());

const isAddress = ({ address }: { address: string }): boolean =>
  "address" in normalizeAddress(AddressKind.email, address);

/** Returns the `References` for a reply to an e-mail: the newest IDs of its thread that fit. May be empty. */
function threadOf({ messageId, references }: ParsedMail): string {
  const ids = [...references, messageId].filter((id) => MESSAGE_ID.test(id));
  let length = 0;
  const last = ids.toReversed().findIndex((id) => {
    length += id.length + 1;
    return length > THREAD_MAX_LENGTH;
  });
  return [...new Set(last < 0 ? ids : ids.slice(ids.length - last))].join(" ");
}

/** Matches a message ID that can safely be copied into a header. */
const MESSAGE_ID = /^<[\x21-\x3b\x3d\x3f-\x7e]{1,400}>$/;

/** Returns an e-mail's `Date` if it is plausible, otherwise the current time. */
function sentAtOf(date: string): string {
  const ms = Date.parse(date);
  return Number.isNaN(ms) || ms < 0 || ms > Math.min(Date.now(), LAST_MOMENT_MS)
    ? timestamp()
    : timestampOf(ms);
}
