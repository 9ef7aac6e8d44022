/** A letter or mark of a script that uses joiners: Arabic and its relatives, and the Indic scripts. */
const CURSIVE = `(?=[\\p{L}\\p{M}])[${"Arab Syrc Mong Nkoo Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Mymr Khmr"
  .split(" ")
  .map((script) => `\\p{scx=${script}}`)
  .join("")}]`;

/** Joiners and variation selectors where a script or an emoji needs them; elsewhere they are invisible. */
const JOINER = [
  `(?<=${CURSIVE})[\\u200c\\u200d](?=${CURSIVE})`,
  "(?<=\\p{ExtPict}[\\p{EMod}\\ufe0f]?)\\u200d(?=\\p{ExtPict})",
  "(?<=\\p{ExtPict})\\ufe0f|(?<=[0-9#*])\\ufe0f(?=\\u20e3)",
].join("|");

/**
 * Matches each character that is invisible or affects how others are displayed: control and format characters
 * (including bidirectional marks), line separators and characters that fonts render blank. Joiners within Persian
 * words, Indic syllables and emoji do not match.
 */
export const INVISIBLE = new RegExp(
  `(?!${JOINER})[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800]`,
  "gu",
);
