// @ts-check
// A thread that parses e-mails and posts back only the parts to store, because processing the whole text
// would block the server. Written in JavaScript, so that Node can load it unchanged, both from the build and
// in tests.
const { parentPort } = require("node:worker_threads");
const { authorOf, listsOf, referencesOf, sendersOf } = require("./headers.cjs");
const { textsOf } = require("./html.cjs");
const { PostalMime } = require("./postal-mime.cjs");
const { isAutomatic, isReport, reportOf } = require("./reports.cjs");

/** Max lines to parse, because each costs memory; 10 MiB of base64 has 137,000 lines. */
const MAX_LINES = 300_000;

const HEADER_MAX_LENGTH = 2_000;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const MAX_NAMES = 20;
const NAME_MAX_LENGTH = 255;

/**
 * @param {import("../mail-threads").MailForThread} mail
 * @returns {Promise<import("../parse-mail").ParsedMail | undefined>} undefined for an e-mail that cannot be parsed
 */
async function parse({ raw, isHead, maxTextLength }) {
  const whole = fromHeader(Buffer.concat(raw));
  const part = firstLines(whole);
  const isPartial = isHead || part.length < whole.length;
  // A truncated header may lack the fields that name the author.
  if (isPartial && !part.includes("\r\n\r\n") && !part.includes("\n\n")) return undefined;
  const mail = await PostalMime.parse(part, { forceRfc822Attachments: true }).catch(() => undefined);
  if (mail === undefined) return undefined;
  const { subject = "", messageId = "", date = "", headers, attachments } = mail;
  const senders = sendersOf(headers);
  const from = senders[0]?.address ?? "";
  const { text, html } = await textsOf(mail);
  return {
    senders,
    author: authorOf(headers),
    lists: listsOf(headers),
    subject: subject.trim().slice(0, HEADER_MAX_LENGTH),
    messageId: messageId.trim().slice(0, HEADER_MAX_LENGTH),
    references: referencesOf(headers),
    date: date.slice(0, HEADER_MAX_LENGTH),
    text: (text.replaceAll("\r\n", "\n").trim() || subject.trim()).slice(0, maxTextLength),
    html: html?.slice(0, maxTextLength),
    attachments: attachments.length,
    attachmentNames: attachments
      .flatMap(({ filename }) => filename?.slice(0, NAME_MAX_LENGTH) || [])
      .slice(0, MAX_NAMES),
    isAutomatic: isAutomatic(headers, from),
    isProgram: isAutomatic(
      headers.filter(
        ({ key, value }) =>
          key !== "list-id" && !(key === "precedence" && /^\s*(list|bulk)\s*$/i.test(value)),
      ),
      from,
    ),
    isReport: isReport(headers, from),
    report: reportOf(mail, text, from),
    isPartial,
  };
}

/**
 * Returns an e-mail without the byte order mark and the blank lines that some programs write above the header.
 * @param {Buffer} raw
 */
function fromHeader(raw) {
  // Lines in old archives end with a lone CR.
  if (!raw.includes(0x0a)) for (const [i, byte] of raw.entries()) if (byte === 0x0d) raw[i] = 0x0a;
  let start = raw.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
  while (raw[start] === 0x0d || raw[start] === 0x0a) start += 1;
  return raw.subarray(start);
}

/** @param {Buffer} raw */
function firstLines(raw) {
  let end = 0;
  for (let count = 0; count < MAX_LINES; count += 1) {
    end = raw.indexOf("\n", end) + 1;
    if (end === 0) return raw;
  }
  return raw.subarray(0, end);
}

parentPort?.on("message", async (mail) => {
  const parsed = await parse(mail);
  // Transferred as bytes, so that the main thread can check the result's size before decoding it.
  const { buffer } = new TextEncoder().encode(JSON.stringify(parsed ?? null));
  parentPort?.postMessage(buffer, [buffer]);
});
