// @ts-check
// Recognizes e-mails that programs wrote: automatic answers, and reports from mail servers.
const { referencesOf, valuesOf } = require("./headers.cjs");

/** @typedef {import("postal-mime").Header} Header */

const REPORT_MAX_LENGTH = 65_536;
const MESSAGE_ID_MAX_LENGTH = 2_000;
const DETAIL_MAX_LENGTH = 2_000;

/**
 * True if a program wrote an e-mail, according to sections 2 and 5 of RFC 3834 or older conventions. Ignores
 * `X-Auto-Response-Suppress`, because e-mails from people may have it as well.
 * @param {readonly Header[]} headers
 * @param {string} from
 */
function isAutomatic(headers, from) {
  const bare = (/** @type {string} */ name) =>
    valuesOf(headers, name).map((value) => value.replace(/\s/g, "").toLowerCase());
  return (
    bare("auto-submitted").some((value) => !/^(no)?([;(]|$)/.test(value)) ||
    bare("precedence").some((value) => /^(bulk|list|junk|auto_reply)$/.test(value)) ||
    [...bare("x-autoreply"), ...bare("x-autorespond")].some((value) => value !== "no") ||
    hasNullSender(headers) ||
    bare("list-id").length > 0 ||
    isReport(headers, from)
  );
}

/**
 * True for an e-mail that must not be answered, such as a bounce (RFC 5321, 4.5.5).
 * @param {readonly Header[]} headers
 */
const hasNullSender = (headers) =>
  valuesOf(headers, "return-path").some((value) => /^\s*<\s*>\s*$/.test(value));

/**
 * True for an automatic answer, such as an out-of-office reply, which may resemble a bounce.
 * @param {readonly Header[]} headers
 */
const isAutoReply = (headers) =>
  valuesOf(headers, "auto-submitted").some((value) => /^\s*auto-replied\b(?!.*fail)/i.test(value));

/** Matches the address or name of a program that sends bounces. */
const MAIL_SERVER =
  /(^|<)\s*(mail(er)?[._-]?daemon|post[._-]?master)(@|>?\s*$)|<\s*>\s*$|^\W*(mailer[ _-]daemon|mail delivery (sub)?system)\b/i;

/**
 * True for a mail server's report, which does not come from a contact (RFC 6522; RFC 5321, 4.5.1).
 * @param {readonly Header[]} headers
 * @param {string} from
 */
const isReport = (headers, from) =>
  [from, ...valuesOf(headers, "from")].some((value) => MAIL_SERVER.test(value)) ||
  valuesOf(headers, "content-type").some((value) => /^\s*multipart\/report\b/i.test(value));

/** Types of complaints from people who want no more e-mails (RFC 5965, 7.3). */
const COMPLAINT = /^(abuse|fraud|opt-out|opt-out-list)$/i;

/** Matches an enhanced status code (RFC 3463). */
const STATUS = /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.])/;

/** Matches a line with a mail server's reply or with a status code in qmail's format. */
const REPLY = /^.*(?:(?<![\d.])5\d\d[ -]|\(#[45]\.\d{1,3}\.\d{1,3}\)).*/m;

/** Match phrases that show that a mail server has given up, or that it is still trying. */
const GAVE_UP =
  /fail|error|undeliver|reject|unable|unknown|returned|aborted|not (be )?deliver|not reach|permanent/i;
const STILL_TRIES =
  /\bwarning\b|\bdelayed\b|not yet been|not (need|have) to re-?send|will (be )?(re)?tr(y|ied)|still trying/i;

/**
 * Returns the e-mail that a report is about: it could not be delivered (RFC 3464, or described in words), or its
 * recipient complained about it (RFC 5965, or Outlook.com's format).
 * @param {import("postal-mime").Email} mail
 * @param {string} text the report's text
 * @param {string} from
 * @returns {import("../parse-mail").ParsedMail["report"]}
 */
function reportOf({ headers, attachments, subject = "" }, text, from) {
  const isOfServer = isReport(headers, from);
  const isReturned = isOfServer || (hasNullSender(headers) && !isAutoReply(headers));
  if (!isReturned && from.toLowerCase() !== "staff@hotmail.com") return undefined;
  const textsOf = (/** @type {RegExp} */ type) =>
    attachments
      .filter(({ mimeType }) => type.test(mimeType))
      .map(({ content }) =>
        Buffer.from(/** @type {ArrayBuffer} */ (content)).toString("latin1", 0, REPORT_MAX_LENGTH),
      );
  const field = (/** @type {string} */ fields, /** @type {string} */ name) =>
    new RegExp(`^${name}:[ \\t]*([^\\r\\n]*(\\r?\\n[ \\t][^\\r\\n]*)*)`, "im").exec(fields)?.[1]?.trim() ??
    "";
  const words = text.slice(0, REPORT_MAX_LENGTH);
  const [attached] = textsOf(/^(message\/(rfc822|global)|text\/rfc822)(-headers)?$/i);
  const original = attached?.split(/\r?\n\r?\n/, 1)[0] ?? words;
  // The report's own words precede the returned e-mail.
  const [notice = ""] = words.split(/^(?:Received|Return-Path|Message-ID|From|To|Date|Subject):/im, 1);
  const [delivery = notice] = textsOf(/^message\/(global-)?delivery-status$/i);
  // Complaints and read receipts have this part. Their subject is the original's, so it does not indicate a failure.
  const [other] = textsOf(/^message\/(feedback-report|(global-)?disposition-notification)$/i);
  const action = field(delivery, "Action");
  const said = `${subject}\n${notice}`;
  const hasFailed =
    isReturned &&
    other === undefined &&
    (action === "" ? GAVE_UP.test(said) && !STILL_TRIES.test(said) : /^failed\b/i.test(action));
  const isComplaint =
    COMPLAINT.test(field(other ?? "", "Feedback-Type")) || /^X-HmXmrOriginalRecipient:/im.test(original);
  if (!hasFailed && !isComplaint) return undefined;
  const reply = field(delivery, "Diagnostic-Code") || (REPLY.exec(notice)?.[0] ?? "");
  const diagnosis = reply.replace(/\s+/g, " ").trim();
  const [status = ""] = STATUS.exec(field(delivery, "Status")) ?? [];
  // Some servers map another server's reply to a less precise status.
  const [precise = status] = STATUS.exec(diagnosis) ?? [];
  // Only for a server's report, because an automatic answer with a null sender also has `References`.
  const referred = isOfServer ? referencesOf(headers).at(-1) : undefined;
  return {
    messageId: (field(original, "Message-ID") || referred || "").slice(0, MESSAGE_ID_MAX_LENGTH),
    isComplaint: isComplaint && !hasFailed,
    status: precise,
    detail: [status, diagnosis]
      .filter((each) => each !== "")
      .join(", ")
      .slice(0, DETAIL_MAX_LENGTH),
  };
}

module.exports = { isAutomatic, isReport, reportOf };
