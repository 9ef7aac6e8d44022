// @ts-check
// Converts an e-mail's HTML to text; quoted lines start with `>`.
const { PostalMime } = require("./postal-mime.cjs");

/**
 * Returns an e-mail's plain text or, if there is none, its HTML as text. Returns both if the HTML marks quotations.
 * @param {import("postal-mime").Email} mail
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
  // The parser converts HTML to text only if an e-mail has both plain-text and HTML parts.
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
  const quoted = withQuotes((await PostalMime.parse(parts.join("\r\n"))).text ?? "");
  return quoted.replace(REPEATED_SEPARATOR, "").trim();
}

/** Max length of a plain-text part that merely says that the e-mail is HTML. */
const STAND_IN_MAX_LENGTH = 400;

/** Max length of HTML to read in addition to plain text; the author's words are at the start. */
const RICH_MAX_LENGTH = 131_072;

/** A separator above a signature that starts with its own separator. */
const REPEATED_SEPARATOR = /^> -- ?\n(>? *\n)*(?=> -- ?$)/gm;

const QUOTE_START = "\ue000";
const QUOTE_END = "\ue001";

/** Class, ID and `name` values that mail programs use for a quotation, its introduction or the signature. */
const QUOTE_NAMES =
  /\b(class|id|name)\s*=\s*["']?[^"']*(gmail_attr|gmail_signature|moz-cite-prefix|moz-signature|yahoo_quoted|protonmail_signature_block|zmail_extra|Zm-_Id_-Sgn|mail-editor-reference-message-container|sh-quoted-content|missive_quote)|\bname\s*=\s*["']?quote\b/i;

/** Class, ID and `name` values for a signature, which may lack a separator. */
const SIGNATURE_NAMES = /signature/i;

/** Elements that Outlook inserts above a quoted e-mail; the quotation continues to the end of the e-mail. */
const QUOTE_ABOVE =
  /\bid\s*=\s*["']?(appendonsend|divRplyFwdMsg|OLK_SRC_BODY_SECTION|stopSpelling)\b|border-top:\s*solid\s+#(E1E1E1|B5C4DF)\b/i;

/** Matches the style of an indented paragraph in Gmail or Apple Mail, which is not a quotation. */
const INDENTED = /\bborder:\s*(none|0)/i;

/** Matches a tag, but captures only the start of long attributes; mail programs write short ones. */
const QUOTE_TAG = /<(\/?)(blockquote|div|span|hr)\b([^<>]{0,1000})[^<>]*>/gi;

/**
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
 * Inserts marks, each on its own line, around quotations in HTML, and separators above signatures.
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
      const separator = open.length === 1 && SIGNATURE_NAMES.test(attributes) ? "-- <br>" : "";
      return `<br>${QUOTE_START}<br>${separator}${tag}`;
    });
}

/** Max depth of quotations; deeper ones are treated as part of the outer quotation. */
const MAX_DEPTH = 100;

/**
 * Removes the marks, and prefixes each line between them with `>`.
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
 * Matches a tag at the start or end of a document. An e-mail's HTML can be several documents, because some mail
 * programs write one per part and some servers append disclaimers, but the parser would keep the text of only one.
 */
const DOCUMENT_TAG = /<(\/?(html|head|body)|!doctype)\b[^<>]*>/gi;

/**
 * Returns HTML without hidden content, and without unfinished tags, because parsing them takes quadratic time.
 * @param {string} html
 */
function shownOf(html) {
  const shown = [];
  const start = /<(style|script|title|xml(?=[\s>]))\b/gi;
  let from = 0;
  let mayBeXml = true;
  for (let found = start.exec(html); found !== null; found = start.exec(html)) {
    const isXml = found[1]?.toLowerCase() === "xml";
    if (isXml && !mayBeXml) continue;
    const end = new RegExp(`</${found[1]}\\s*>`, "gi");
    end.lastIndex = start.lastIndex;
    const isClosed = end.test(html);
    // Browsers ignore an unclosed `xml` tag, but show nothing after an unclosed `style`, `script` or `title`.
    mayBeXml &&= isClosed || !isXml;
    if (isXml && !mayBeXml) continue;
    shown.push(html.slice(from, found.index));
    from = isClosed ? end.lastIndex : html.length;
    start.lastIndex = from;
  }
  const text = shown
    .concat(html.slice(from))
    .join("")
    .replace(DOCUMENT_TAG, "<br>")
    .replace(/<(?![a-z/!?])/gi, "&lt;");
  const lastTag = text.lastIndexOf(">") + 1;
  return text.slice(0, lastTag) + text.slice(lastTag).replaceAll("<", "&lt;");
}

module.exports = { textsOf };
