/** A letter or mark of a script that uses joiners: Arabic and its relatives, and the Indic scripts. */
const CURSIVE = `(?=[\\p{L}\\p{M}])[${"Arab Syrc Mong Nkoo Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Mymr Khmr"
  .split(" ")
  .map((script) => `\\p{scx=${script}}`)
  .join("")}]`;

/** The viramas of the Indic scripts, which a joiner may follow even at the end of a word (RFC 5892, A.1 and A.2). */
const VIRAMA = "[\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d4d\\u0dca]";

/** The invisible tags of the flags of England, Scotland and Wales, the only ones that are emoji (UTS 51, annex C). */
const FLAG_TAGS = ["gbeng", "gbsct", "gbwls"].flatMap((region) => {
  const tags = [...region, "\x7f"].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0)));
  return tags.map(
    (tag, at) => `${tag}(?<=\u{1f3f4}${tags.slice(0, at + 1).join("")})(?=${tags.slice(at + 1).join("")})`,
  );
});

/** Joiners, variation selectors and tags where a script or an emoji needs them; elsewhere they are invisible. */
const JOINER = [
  `(?<=${CURSIVE})[\\u200c\\u200d](?=${CURSIVE})`,
  `(?<=${VIRAMA})[\\u200c\\u200d](?![\\u200c\\u200d])`,
  "(?<=\\p{ExtPict}[\\p{EMod}\\ufe0f]?)\\u200d(?=\\p{ExtPict})",
  "(?<=\\p{ExtPict})\\ufe0f|(?<=[0-9#*])\\ufe0f(?=\\u20e3)",
  ...FLAG_TAGS,
].join("|");

/**
 * Matches each character that is invisible or affects how others are displayed: control and format characters
 * (including bidirectional marks), line separators and characters that fonts render blank. Joiners within Persian
 * words, Indic syllables and emoji, and the tags of flags do not match.
 */
export const INVISIBLE = new RegExp(
  `(?!${JOINER})[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800]`,
  "gu",
);
