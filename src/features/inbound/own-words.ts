import { ATTRIBUTIONS, FOOTERS, HEADER_NAMES, SEPARATORS } from "./mail-layouts";

/** Max lines of a wrapped introduction to a quotation. */
const MAX_ATTRIBUTION_LINES = 3;

/** Max lines in a header block above a quotation. */
const MAX_HEADER_LINES = 12;

/** Max length of a line that a mail program adds (UTF-16 code units). */
const LAYOUT_MAX_LENGTH = 400;

/** The text of an e-mail, split into the author's own words and the rest. */
export interface DividedText {
  /** The author's own words; may be empty. */
  own: string;
  /** The rest: quoted e-mails, signatures and programs' footers; empty if there is none. */
  quoted: string;
}

/**
 * Splits an e-mail's text. Text between and below quoted lines (`>`) is the author's if the e-mail starts
 * with quoted lines or if the author's paragraphs separate them. Otherwise, the author's words end at the
 * quotation.
 */
export function ownWords(text: string): DividedText {
  const lines = text.split(/\r?\n/);
  const isQuoted = lines.map((line) => line.startsWith(">"));
  for (const [i, quoted] of isQuoted.entries())
    if (quoted && !isQuoted[i - 1]) isQuoted.fill(true, attributionAbove(lines, i), i);
  const ending = lines.findIndex((_, i) => !isQuoted[i] && endsAt(lines, i));
  const end = ending < 0 ? lines.length : ending;
  const first = isQuoted.indexOf(true);
  const hasWordsAbove = first > 0 && !lines.slice(0, first).every(isBlank);
  const last = hasWordsAbove && first < end && !isInterleaved(lines.slice(0, end), isQuoted) ? first : end;
  const isOwn = (i: number) => i < last && !isQuoted[i];
  const joined = (own: boolean) =>
    lines
      .filter((_, i) => isOwn(i) === own)
      .join("\n")
      .trim();
  return { own: joined(true), quoted: joined(false) };
}

/** True if the text below the author's words is only a signature or a program's footer. */
export function isSignature(quoted: string): boolean {
  const [first = "", ...below] = quoted.replace(/^[>\s]+/, "").split("\n");
  return /^-- ?$/.test(first) || (matches(FOOTERS, layoutOf(first)) && below.every(isBlank));
}

/** True if the author wrote paragraphs between quoted lines, not counting the remainder of a wrapped line. */
function isInterleaved(lines: readonly string[], isQuoted: readonly boolean[]): boolean {
  const lastQuote = isQuoted.slice(0, lines.length).lastIndexOf(true);
  let hasQuote = false;
  return lines.some((line, i) => {
    hasQuote ||= isQuoted[i] === true;
    const isParagraph = !isBlank(line) && isBlank(lines[i - 1]?.replace(/^[>\s]+/, ""));
    return hasQuote && i < lastQuote && !isQuoted[i] && isParagraph;
  });
}

/** Returns the index of a quotation's introduction, such as `Anna wrote:`, or of the quotation if it has none. */
function attributionAbove(lines: readonly string[], quote: number): number {
  let last = quote - 1;
  while (last >= 0 && isBlank(lines[last])) last -= 1;
  for (let count = MAX_ATTRIBUTION_LINES; count > 0; count -= 1)
    if (attributionAt(lines, last - count + 1) === count) return last - count + 1;
  const line = lines[last] ?? "";
  if (!/[:：]\s*$/.test(line)) return quote;
  // In some languages, introductions may be wrapped after the date.
  const isBroken = !/\d/.test(line) && !isBlank(lines[last - 1]) && /\d/.test(lines[last - 1] ?? "");
  return isBroken ? last - 1 : last;
}

/** Returns the number of lines at an index that introduce a quotation; 0 if there are none. */
function attributionAt(lines: readonly string[], start: number): number {
  for (let count = 1; count <= MAX_ATTRIBUTION_LINES; count += 1) {
    const line = lines[start + count - 1];
    if (isBlank(line)) return 0;
    const joined = layoutOf(lines.slice(start, start + count).join(" "));
    if (/\d/.test(joined) && /[:：-]$/.test(joined) && matches(ATTRIBUTIONS, joined)) return count;
  }
  return 0;
}

/** True if the author's words always end at this line, whatever follows. */
function endsAt(lines: readonly string[], start: number): boolean {
  const line = layoutOf(lines[start] ?? "");
  return (
    line !== "" &&
    (matches(SEPARATORS, line) ||
      matches(FOOTERS, line) ||
      attributionAt(lines, start) > 0 ||
      isHeaderBlock(lines, start))
  );
}

/** True if a header block starts here, such as `From: … Sent: … To: … Subject: …`. */
function isHeaderBlock(lines: readonly string[], start: number): boolean {
  const found = { sender: 0, subject: 0, other: 0 };
  for (let i = start; i < lines.length && i < start + MAX_HEADER_LINES; i += 1) {
    const line = layoutOf(lines[i] ?? "");
    if (line === "") break;
    const name = (["sender", "subject", "other"] as const).find((each) => HEADER_NAMES[each].test(line));
    if (name === undefined && i === start) return false;
    if (name !== undefined) found[name] += 1;
  }
  return found.sender > 0 && found.subject > 0 && found.other > 0;
}

/** Returns a line without bold markers and link URLs; empty if it is too long. */
const layoutOf = (line: string): string =>
  line.length > LAYOUT_MAX_LENGTH ? "" : line.trim().replace(/\*|\(https?:[^()\s]*\) ?/g, "");

const matches = (layouts: readonly RegExp[], line: string): boolean =>
  layouts.some((layout) => layout.test(line));

const isBlank = (line = ""): boolean => line.trim() === "";
