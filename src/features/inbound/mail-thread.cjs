// @ts-check
// A thread that parses mails and posts only the part of each that is kept: work on the whole text would stop the server.
// It is JavaScript because Node loads it as it is, from the build and in tests.
const { dirname, join } = require("node:path");
const { parentPort } = require("node:worker_threads");

/** Encodings of one byte per letter, whose texts are hardly ever valid UTF-8 by chance. */
const SINGLE_BYTE = /^(windows-125\d|iso-8859-\d+|macintosh)$/;

/** The encoding that HTML names, within its first bytes (HTML 5, 13.2.3.2). */
const META_CHARSET = /<meta\b[^<>]{0,200}?\bcharset\s*=\s*["']?([\w:-]{1,40})/i;
const META_BYTES = 2_048;

/** The letters that show the encoding of a text: all of them could fill the memory of the thread. */
const SAMPLE_LENGTH = 65_536;

const NativeDecoder = TextDecoder;

/** Labels of encodings of old programs, which Node does not have. */
const OLD_LABELS = new Set([
  ...["utf-7", "utf7", "unicode-1-1-utf-7"],
  ...[437, 737, 775, 850, 852, 855, 857, 858, 860, 861, 862, 863, 864, 865, 869].flatMap((page) => [
    `cp${page}`,
    `ibm${page}`,
  ]),
]);

/**
 * Decodes by what bytes are, not by their label alone: many programs name none or a wrong one, and the parser takes a
 * missing one for UTF-8.
 */
globalThis.TextDecoder = /** @type {any} */ (
  class extends NativeDecoder {
    /**
     * @param {string} [label]
     * @param {ConstructorParameters<typeof TextDecoder>[1]} [options]
     */
    constructor(label = "utf-8", options) {
      super(OLD_LABELS.has(label) ? "utf-8" : label, options);
      this.oldLabel = OLD_LABELS.has(label) ? label : undefined;
    }

    /**
     * @override
     * @param {NodeJS.ArrayBufferView | ArrayBuffer | null} [input]
     * @param {{ stream?: boolean }} [options]
     */
    decode(input, options) {
      if (this.oldLabel !== undefined && input != null)
        return require("iconv-lite").decode(bytesOf(input), this.oldLabel);
      const text = super.decode(input ?? undefined, options);
      if (input == null || options?.stream) return text;
      if (this.encoding !== "utf-8") {
        if (!SINGLE_BYTE.test(this.encoding) || !/[^\0-\x7f]/.test(text)) return text;
        const mended = new NativeDecoder("utf-8").decode(input);
        return mended.includes(UNREADABLE) ? text : mended;
      }
      const first = text.search(/[^\0-\x7f]/);
      const isAscii = first < 0;
      const sample = text.slice(first, first + SAMPLE_LENGTH);
      const unreadable = sample.split(UNREADABLE).length - 1;
      // The end of a text that is cut may be half a character.
      if (!isAscii && 2 * unreadable <= sample.replace(/[\0-\x7f]+/g, "").length) return text;
      const label = META_CHARSET.exec(text.slice(0, META_BYTES))?.[1];
      const decoder = decoderOf(label) ?? (isAscii ? undefined : new NativeDecoder("windows-1252"));
      return decoder?.decode(input) ?? text;
    }
  }
);

const UNREADABLE = "\ufffd";

/** @param {NodeJS.ArrayBufferView | ArrayBuffer} input */
const bytesOf = (input) =>
  ArrayBuffer.isView(input)
    ? Buffer.from(input.buffer, input.byteOffset, input.byteLength)
    : Buffer.from(input);

/**
 * The decoder for a label in HTML, which is not of UTF-16 if it could be read.
 * @param {string | undefined} label
 */
function decoderOf(label = "utf-8") {
  try {
    const decoder = new NativeDecoder(label);
    return decoder.encoding.startsWith("utf-") ? undefined : decoder;
  } catch {
    return undefined;
  }
}

// Loaded after the decoder is replaced, because it keeps some.
const PostalMime = require("postal-mime");

// The parser makes no decoders of other labels.
const { ENCODING_LABELS } = require(join(dirname(require.resolve("postal-mime")), "decode-strings.js"));
for (const label of OLD_LABELS) ENCODING_LABELS.add(label);

/** Max lines that are parsed: 10 MiB of base64 have 137,000, and each costs the parser memory. */
const MAX_LINES = 300_000;

const SENDER_MAX_LENGTH = 2_000;
const HEADER_MAX_LENGTH = 2_000;
const REFERENCES_MAX_LENGTH = 8_000;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const REPORT_MAX_LENGTH = 65_536;
const MAX_NAMES = 20;
const MAX_LISTS = 4;
const NAME_MAX_LENGTH = 255;

/** Node's `Blob` costs 10 µs and 2 KB per part; the parser makes one of two parts per line, only to join them. */
globalThis.Blob = /** @type {any} */ (
  class {
    /** @param {(string | ArrayBuffer | Uint8Array)[]} parts */
    constructor(parts) {
      this.parts = parts.map((part) => (typeof part === "string" ? Buffer.from(part) : new Uint8Array(part)));
    }

    async arrayBuffer() {
      const { buffer, byteOffset, byteLength } = Buffer.concat(this.parts);
      return buffer.slice(byteOffset, byteOffset + byteLength);
    }
  }
);

/**
 * Parses a mail.
 * @param {import("./mail-threads").MailForThread} mail
 * @returns {Promise<import("./parse-mail").ParsedMail | undefined>} undefined for a mail that cannot be parsed
 */
async function parse({ raw, isHead, maxTextLength }) {
  const whole = fromHeader(Buffer.concat(raw));
  const part = firstLines(whole);
  const isPartial = isHead || part.length < whole.length;
  // Without the end of its header, a mail may miss what says who wrote it.
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
 * The message IDs that a mail refers to, oldest first.
 * @param {readonly PostalMime.Header[]} headers
 */
function referencesOf(headers) {
  const values = [...valuesOf(headers, "references"), ...valuesOf(headers, "in-reply-to")];
  const ids =
    values
      .join(" ")
      .slice(-REFERENCES_MAX_LENGTH)
      .match(/<[^<>\s]+>/g) ?? [];
  return [...new Set(ids.toReversed())].toReversed();
}

/**
 * A mail without the byte order mark and the blank lines that some programs write above the header.
 * @param {Buffer} raw
 */
function fromHeader(raw) {
  // Old archives end lines with CR alone.
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

/**
 * The text of a mail, made from HTML if there is no other, and the text made from HTML if only that marks quotations.
 * @param {PostalMime.Email} mail
 * @returns {Promise<{ text: string, html?: string }>}
 */
async function textsOf({ text = "", html }) {
  if (html === undefined) return { text };
  const isStandIn = text.trim() === "" || (text.length < STAND_IN_MAX_LENGTH && /\bHTML\b/i.test(text));
  if (isStandIn) return { text: (await textOfHtml(html)) || text };
  const start = html.slice(0, RICH_MAX_LENGTH);
  return hasQuotes(start) ? { text, html: await textOfHtml(start) } : { text };
}

/** @param {string} html */
async function textOfHtml(html) {
  // The parser makes text of HTML where a mail has parts of both kinds.
  const parts = [
    "Content-Type: multipart/mixed; boundary=part",
    "",
    "--part",
    "Content-Type: text/plain",
    "",
    "",
    "--part",
    "Content-Type: text/html; charset=utf-8",
    "Content-Transfer-Encoding: base64",
    "",
    Buffer.from(markQuotes(shownOf(html))).toString("base64"),
    "--part--",
  ];
  return withQuotes((await PostalMime.parse(parts.join("\r\n"))).text ?? "").trim();
}

/** Max length of a text that only says that the mail is HTML. */
const STAND_IN_MAX_LENGTH = 400;

/** Max length of HTML that is read beside text: the author's words come first. */
const RICH_MAX_LENGTH = 131_072;

const QUOTE_START = "\ue000";
const QUOTE_END = "\ue001";

/** Names that mail programs give to what introduces or contains a quotation, or is the signature. */
const QUOTE_NAMES =
  /\b(class|id|name)\s*=\s*["']?[^"']*(gmail_attr|gmail_signature|moz-cite-prefix|moz-signature|yahoo_quoted|protonmail_signature_block|zmail_extra|Zm-_Id_-Sgn|mail-editor-reference-message-container|sh-quoted-content|missive_quote)|\bname\s*=\s*["']?quote\b/i;

/** What Outlook puts above the mail that it quotes, which ends with the whole mail. */
const QUOTE_ABOVE =
  /\bid\s*=\s*["']?(appendonsend|divRplyFwdMsg|OLK_SRC_BODY_SECTION|stopSpelling)\b|border-top:\s*solid\s+#(E1E1E1|B5C4DF)\b/i;

/** An indented paragraph of Gmail and Apple Mail, which is no quotation. */
const INDENTED = /\bborder:\s*(none|0)/i;

/** The part of the attributes that is read, whose length mail programs stay below. */
const QUOTE_TAG = /<(\/?)(blockquote|div|span|hr)\b([^<>]{0,1000})[^<>]*>/gi;

/**
 * True if a tag starts a quotation.
 * @param {string} name
 * @param {string} attributes
 */
const isQuote = (name, attributes) =>
  (name === "blockquote" && !INDENTED.test(attributes)) ||
  QUOTE_NAMES.test(attributes) ||
  QUOTE_ABOVE.test(attributes);

/** @param {string} html */
const hasQuotes = (html) =>
  [...html.matchAll(QUOTE_TAG)].some(
    ([, end, name = "", attributes = ""]) => end === "" && isQuote(name.toLowerCase(), attributes),
  );

/**
 * HTML with marks where quotations start and end, each on its own line.
 * @param {string} html
 */
function markQuotes(html) {
  /** @type {Record<string, number>} */
  const depths = { blockquote: 0, div: 0, span: 0 };
  /** @type {{ name: string, depth: number }[]} */
  const open = [];
  return html
    .replace(/[\ue000\ue001]/g, "")
    .replace(/<hr\b[^<>]*>(?=\s{0,99}<div\b[^<>]*divRplyFwdMsg)/gi, "")
    .replace(QUOTE_TAG, (tag, end, anyCase, attributes) => {
      const name = anyCase.toLowerCase();
      const depth = depths[name] ?? 0;
      if (end !== "") {
        depths[name] = Math.max(0, depth - 1);
        const from = open.findLastIndex((each) => each.name === name && each.depth === depth);
        return from < 0 ? tag : `${tag}<br>${`${QUOTE_END}<br>`.repeat(open.splice(from).length)}`;
      }
      if (name !== "hr") depths[name] = depth + 1;
      if (!isQuote(name, attributes) || open.length >= MAX_DEPTH) return tag;
      if (!QUOTE_ABOVE.test(attributes)) open.push({ name, depth: depth + 1 });
      return `<br>${QUOTE_START}<br>${tag}`;
    });
}

/** Max depth of quotations: beyond that, all is quoted. */
const MAX_DEPTH = 100;

/**
 * Text in which the lines between marks start with `>`.
 * @param {string} text
 */
function withQuotes(text) {
  let depth = 0;
  const lines = text.split(/\r?\n/).flatMap((line) => {
    const mark = line.trim();
    if (mark === QUOTE_START) depth += 1;
    if (mark === QUOTE_END) depth = Math.max(0, depth - 1);
    if (mark === QUOTE_START || mark === QUOTE_END) return [];
    return [depth > 0 ? `> ${line}` : line];
  });
  return lines.join("\n");
}

/**
 * HTML without what is not shown, and without tags that never end, on which the parser takes quadratic time.
 * @param {string} html
 */
function shownOf(html) {
  const shown = [];
  const start = /<(style|script|title)\b/gi;
  let from = 0;
  for (let found = start.exec(html); found !== null; found = start.exec(html)) {
    const end = new RegExp(`</${found[1]}\\s*>`, "gi");
    end.lastIndex = start.lastIndex;
    // Browsers show nothing after an unclosed one.
    const isClosed = end.test(html);
    shown.push(html.slice(from, found.index));
    from = isClosed ? end.lastIndex : html.length;
    start.lastIndex = from;
  }
  const text = shown.concat(html.slice(from)).join("");
  const lastTag = text.lastIndexOf(">") + 1;
  return text.slice(0, lastTag) + text.slice(lastTag).replaceAll("<", "&lt;");
}

/**
 * The addresses that a mail may be from, the best first: of the only `From`, of `Sender`, of the first of several authors,
 * of the envelope. Of several `From`, a mail server may have checked another one.
 * @param {readonly PostalMime.Header[]} headers
 */
function sendersOf(headers) {
  const [from, ...more] = valuesOf(headers, "from").map(mailboxOf);
  if (more.some(({ mailbox }) => mailbox?.address !== from?.mailbox?.address)) return [];
  const senders = valuesOf(headers, "sender").map(mailboxOf);
  const sender = senders.length === 1 && senders[0]?.isOneOfSeveral === false ? senders : [];
  const authors = from === undefined ? [] : [from];
  const named = from?.isOneOfSeveral ? [...sender, ...authors] : [...authors, ...sender];
  const envelope = valuesOf(headers, "return-path").slice(0, 1).map(mailboxOf);
  return [...named, ...envelope]
    .flatMap(({ mailbox, plain }) => [mailbox, plain])
    .filter((each) => each !== undefined);
}

/**
 * The person who wrote a mail that a form or list sent: list programs name the author before they replace `From`.
 * @param {readonly PostalMime.Header[]} headers
 */
function authorOf(headers) {
  const [author] = ["x-original-sender", "x-original-from", "reply-to"].flatMap((name) => {
    const [value, ...more] = valuesOf(headers, name).map(mailboxOf);
    return more.length === 0 && value?.isOneOfSeveral === false ? (value.mailbox ?? []) : [];
  });
  return author;
}

/**
 * The mailing list that a mail came through: its address, and its ID in the form of an address.
 * @param {readonly PostalMime.Header[]} headers
 */
function listsOf(headers) {
  const posts = valuesOf(headers, "list-post").flatMap(
    (value) => /<mailto:([^<>?]+)/i.exec(value)?.[1] ?? [],
  );
  const ids = valuesOf(headers, "list-id").flatMap((value) => /([^<>\s]+)>?\s*$/.exec(value)?.[1] ?? []);
  // Without an ID, an answer could follow.
  if (ids.length === 0) return [];
  return [...posts, ...ids.map((id) => id.replace(".", "@"))]
    .map((each) => each.slice(0, NAME_MAX_LENGTH).toLowerCase())
    .slice(0, MAX_LISTS);
}

/** @param {string} value */
function mailboxOf(value) {
  if (value.length > SENDER_MAX_LENGTH) return { isOneOfSeveral: false };
  // Some programs put an address that has angle brackets already in others.
  const text = value.replace(/<{2,}/g, "<").replace(/>{2,}/g, ">");
  const found = /** @type {PostalMime.Mailbox[]} */ (PostalMime.addressParser(text, { flatten: true }));
  const [address, ...more] = found.flatMap(({ address = "" }) => (address.includes("@") ? [address] : []));
  const unquoted = text.replace(/"(?:[^"\\]|\\.)*"/g, "");
  // The parser finds addresses within encoded words, and takes the first of several in angle brackets.
  const isOneOfSeveral = more.length > 0 || unquoted.split("<").length > 2;
  const isUsable =
    address !== undefined && text.includes(address) && !/\s/.test(address.replace(/^".*"@/, ""));
  // A comma in a name without quotes divides it.
  const name = isOneOfSeveral ? "" : found.flatMap(({ name }) => name || []).join(", ");
  return { mailbox: isUsable ? { address, name } : undefined, plain: plainAddress(text), isOneOfSeveral };
}

/** An address with a domain of several labels: words around a sign may be a name. */
const ADDRESS = /(?:"(?:[^"\\]|\\.)+"|[^\s<>()",;:[\]\\@]+)@[^\s<>()",;:[\]\\@.]+\.[^\s<>()",;:[\]\\@]+/;
const MAX_COMMENT_DEPTH = 5;

/**
 * The address in a sender without what the parser does not understand: comments and spaces within an address, routes,
 * apostrophes (RFC 5322, 3.2.2, 3.4.1 and 4.4).
 * @param {string} text
 */
function plainAddress(text) {
  let plain = text;
  for (let depth = 0; depth < MAX_COMMENT_DEPTH; depth++)
    plain = plain.replace(/("(?:[^"\\]|\\.)*")|\((?:[^()"\\]|\\.)*\)/g, "$1");
  const bare = plain.replace(/\s*([@.])\s*/g, "$1").replace(/"(?:[^"\\]|\\.)*"(?!@)/g, " ");
  const [inBrackets = bare] = /(?<=<)[^<>]*@[^<>]*(?=>)/.exec(bare) ?? [];
  const [address] = ADDRESS.exec(inBrackets) ?? [];
  return address === undefined ? undefined : { address: address.replace(/^'|'$/g, ""), name: "" };
}

/**
 * @param {readonly PostalMime.Header[]} headers
 * @param {string} name
 */
const valuesOf = (headers, name) =>
  headers.flatMap(({ key, value }) => (key === name && value !== "" ? [value] : []));

/**
 * True if a program wrote a mail: RFC 3834, 2 and 5, and what is older than it. `X-Auto-Response-Suppress` is no sign,
 * because mails of people may have it too.
 * @param {readonly PostalMime.Header[]} headers
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
 * True for a mail that must not be answered, such as a bounce (RFC 5321, 4.5.5).
 * @param {readonly PostalMime.Header[]} headers
 */
const hasNullSender = (headers) =>
  valuesOf(headers, "return-path").some((value) => /^\s*<\s*>\s*$/.test(value));

/** The address or name of a program that returns mail. */
const MAIL_SERVER =
  /(^|<)\s*(mail(er)?[._-]?daemon|post[._-]?master)(@|>?\s*$)|<\s*>\s*$|^\W*(mailer[ _-]daemon|mail delivery (sub)?system)\b/i;

/**
 * True for a report of a mail server, which is from no contact (RFC 6522; RFC 5321, 4.5.1).
 * @param {readonly PostalMime.Header[]} headers
 * @param {string} from
 */
const isReport = (headers, from) =>
  [from, ...valuesOf(headers, "from")].some((value) => MAIL_SERVER.test(value)) ||
  valuesOf(headers, "content-type").some((value) => /^\s*multipart\/report\b/i.test(value));

/** The types of complaints by which a recipient asks for no more mail (RFC 5965, 7.3). */
const COMPLAINT = /^(abuse|fraud|opt-out|opt-out-list)$/i;

/** An enhanced status code (RFC 3463). */
const STATUS = /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.])/;

/** A line with the reply of a mail server, or with a status code as qmail writes it. */
const REPLY = /^.*(?:(?<![\d.])5\d\d[ -]|\(#[45]\.\d{1,3}\.\d{1,3}\)).*/m;

/** Words of a mail server that gave up, and of one that still tries. */
const GAVE_UP =
  /fail|error|undeliver|reject|unable|unknown|returned|aborted|not (be )?deliver|not reach|permanent/i;
const STILL_TRIES =
  /\bwarning\b|\bdelayed\b|not yet been|not (need|have) to re-?send|will (be )?(re)?tr(y|ied)|still trying/i;

/**
 * The mail that a report is about: one that could not be delivered (RFC 3464, or in words), or that its recipient
 * complained about (RFC 5965, or as Outlook.com passes it on).
 * @param {PostalMime.Email} mail
 * @param {string} text its text
 * @param {string} from
 * @returns {import("./parse-mail").ParsedMail["report"]}
 */
function reportOf({ headers, attachments, subject = "" }, text, from) {
  const isReturned = isReport(headers, from) || hasNullSender(headers);
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
  // The words of the report come before the mail that it returns.
  const [notice = ""] = words.split(/^(?:Received|Return-Path|Message-ID|From|To|Date|Subject):/im, 1);
  const [delivery = notice] = textsOf(/^message\/(global-)?delivery-status$/i);
  const [feedback = ""] = textsOf(/^message\/feedback-report$/i);
  const action = field(delivery, "Action");
  const said = `${subject}\n${notice}`;
  const hasFailed =
    isReturned && (action === "" ? GAVE_UP.test(said) && !STILL_TRIES.test(said) : /^failed\b/i.test(action));
  const isComplaint =
    COMPLAINT.test(field(feedback, "Feedback-Type")) || /^X-HmXmrOriginalRecipient:/im.test(original);
  if (!hasFailed && !isComplaint) return undefined;
  const reply = field(delivery, "Diagnostic-Code") || (REPLY.exec(notice)?.[0] ?? "");
  const diagnosis = reply.replace(/\s+/g, " ").trim();
  const [status = ""] = STATUS.exec(field(delivery, "Status")) ?? [];
  // Some servers map the reply of another one to a less exact status.
  const [precise = status] = STATUS.exec(diagnosis) ?? [];
  return {
    messageId: (field(original, "Message-ID") || referencesOf(headers).at(-1) || "").slice(
      0,
      HEADER_MAX_LENGTH,
    ),
    isComplaint: isComplaint && !hasFailed,
    status: precise,
    detail: [status, diagnosis]
      .filter((each) => each !== "")
      .join(", ")
      .slice(0, HEADER_MAX_LENGTH),
  };
}

parentPort?.on("message", async (mail) => {
  const parsed = await parse(mail);
  // As bytes that are handed over, so that the other thread sees their number before it reads them.
  const { buffer } = new TextEncoder().encode(JSON.stringify(parsed ?? null));
  parentPort?.postMessage(buffer, [buffer]);
});
