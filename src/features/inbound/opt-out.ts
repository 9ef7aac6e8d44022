/** Words that opt out of messages as a whole message, as carriers define them. */
const OPT_OUT: ReadonlySet<string> = new Set(["STOP", "UNSUBSCRIBE", "CANCEL", "END", "QUIT"]);
const OPT_IN = "START";

/** Longer texts are no wish, whatever they consist of. */
const MAX_LENGTH = 40;

/** What a message says about further ones, if that is all it says. */
export function wishIn(text: string): "out" | "in" | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH) return undefined;
  // Full-width letters, and what people put around a word.
  const word = trimmed
    .normalize("NFKC")
    .toUpperCase()
    .replace(/^[\s"'“”„«»([]+|[\s"'“”„«»)\].!]+$/g, "");
  if (OPT_OUT.has(word)) return "out";
  return word === OPT_IN ? "in" : undefined;
}
