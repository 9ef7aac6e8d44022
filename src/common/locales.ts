/** Max length of a language tag, as given and in its canonical form. */
export const LOCALE_MAX_LENGTH = 35;

/** `Intl.DisplayNames`, created on first use, because that loads the names of all languages. */
const languageNames = (() => {
  let names: Intl.DisplayNames | undefined;
  return () => {
    names ??= new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });
    return names;
  };
})();

/** Returns the canonical form of a BCP 47 tag of a known language; undefined for any other text. */
export function canonicalLocale(text: string): string | undefined {
  if (text.length > LOCALE_MAX_LENGTH) return undefined;
  try {
    const [locale = ""] = Intl.getCanonicalLocales(text);
    const isKnown = languageNames().of(new Intl.Locale(locale).language) !== undefined;
    // Canonicalization may replace one subtag with several.
    return isKnown && locale.length <= LOCALE_MAX_LENGTH ? locale : undefined;
  } catch {
    return undefined;
  }
}

/** Yields a language tag, then increasingly general tags to fall back to (RFC 4647, section 3.4). */
export function* lookupTags(locale: string): Generator<string> {
  const subtags = locale.split("-");
  while (subtags.length > 0) {
    yield subtags.join("-");
    subtags.pop();
    // A single-letter subtag introduces the subtags that follow it, so it is removed together with them.
    if (subtags.at(-1)?.length === 1) subtags.pop();
  }
}

/** True if a string names an IANA time zone. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z][\w+/-]{0,63}$/.test(text)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: text });
    return true;
  } catch {
    return false;
  }
}
