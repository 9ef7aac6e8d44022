/** Opt-out keywords defined by carriers. A message opts out only if it consists of a single keyword. */
const OPT_OUT: ReadonlySet<string> = new Set([
  "STOP",
  "STOPALL",
  "UNSUBSCRIBE",
  "CANCEL",
  "END",
  "QUIT",
  "OPTOUT",
  "OPT OUT",
  "OPT-OUT",
  "REVOKE",
]);

/** Words that opt in after an opt-out. */
const OPT_IN: ReadonlySet<string> = new Set(["START", "UNSTOP", "YES"]);

/** Max length of text that can opt in or out. */
const MAX_LENGTH = 40;

/** Returns the intent of a text that is a single keyword, otherwise undefined. `words` are more opt-out keywords. */
export function optOutIntent(text: string, words: readonly string[] = []): "out" | "in" | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH) return undefined;
  const word = folded(trimmed);
  if (OPT_OUT.has(word)) return "out";
  if (OPT_IN.has(word)) return "in";
  return words.some((each) => folded(each) === word) ? "out" : undefined;
}

/** Converts text to uppercase without accents, and removes surrounding punctuation. */
const folded = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toUpperCase()
    .replace(/^[\s"'“”„«»([]+|[\s"'“”„«»)\].!]+$/g, "");
