/** Words that opt out of messages if they are the whole message, as defined by carriers. */
const OPT_OUT: ReadonlySet<string> = new Set(["STOP", "UNSUBSCRIBE", "CANCEL", "END", "QUIT"]);
const OPT_IN = "START";

/** Longer texts never count as an intent. */
const MAX_LENGTH = 40;

/** The intent of a message that consists of a single keyword; undefined for any other text. */
export function optOutIntent(text: string): "out" | "in" | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH) return undefined;
  // Normalizes full-width letters and strips punctuation around the word.
  const word = trimmed
    .normalize("NFKC")
    .toUpperCase()
    .replace(/^[\s"'“”„«»([]+|[\s"'“”„«»)\].!]+$/g, "");
  if (OPT_OUT.has(word)) return "out";
  return word === OPT_IN ? "in" : undefined;
}
