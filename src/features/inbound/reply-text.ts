/** The line that mail programs write above a quoted e-mail or a signature. */
const SEPARATOR = /^(-- ?|_{32,}|-{2,}\s*Original Message\s*-{2,})$/i;

/** The text of an e-mail without its signature and quotations. */
export function replyText(text: string): string {
  const lines = text.split(/\r?\n/);
  const quote = lines.findIndex((line) => line.startsWith(">"));
  const separator = lines.findIndex((line) => SEPARATOR.test(line));
  const isQuoted = quote >= 0 && (separator < 0 || quote < separator);
  const end = isQuoted ? attributionOf(lines, quote) : separator;
  return lines
    .slice(0, end < 0 ? lines.length : end)
    .join("\n")
    .trim();
}

/** The index of the attribution line, such as `On Monday, Anna wrote:`; without one, the index of the quote. */
function attributionOf(lines: readonly string[], quote: number): number {
  let last = quote - 1;
  while (last >= 0 && isBlank(lines[last])) last -= 1;
  const line = lines[last] ?? "";
  if (!line.trimEnd().endsWith(":")) return quote;
  // Mail programs wrap it after the date.
  const isBroken = !/\d/.test(line) && !isBlank(lines[last - 1]) && /\d/.test(lines[last - 1] ?? "");
  return isBroken ? last - 1 : last;
}

const isBlank = (line = ""): boolean => line.trim() === "";
