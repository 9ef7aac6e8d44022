/** What mail programs write above the mail that is answered, or above a signature. */
const SEPARATOR = /^(-- ?|_{32,}|-{2,}\s*Original Message\s*-{2,})$/i;

/** What a person wrote in a mail: its text above the signature and the mail that is answered. */
export function ownWords(text: string): string {
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

/** The index of the line that says whose words follow, such as `On Monday, Anna wrote:`; of the quote if none does. */
function attributionOf(lines: readonly string[], quote: number): number {
  let last = quote - 1;
  while (last >= 0 && isBlank(lines[last])) last -= 1;
  const line = lines[last] ?? "";
  if (!line.trimEnd().endsWith(":")) return quote;
  // Mail programs break it after the date.
  const isBroken = !/\d/.test(line) && !isBlank(lines[last - 1]) && /\d/.test(lines[last - 1] ?? "");
  return isBroken ? last - 1 : last;
}

const isBlank = (line = ""): boolean => line.trim() === "";
