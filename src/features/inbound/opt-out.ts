/** Words that opt out of messages if they are the whole message, as defined by carriers. */
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
  return OPT_IN.has(word) ? "in" : undefined;
}
