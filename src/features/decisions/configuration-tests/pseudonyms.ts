/** The contact's name in a test created from a decision. */
const FIRST_NAME = "Alex";
const LAST_NAME = "Example";
const REF = "contact-1";

/** Min length of names to replace within texts; shorter ones also occur in other words or numbers. */
const NAME_MIN_LENGTH = 2;
const REF_MIN_LENGTH = 3;

/** A character of a script that does not separate words by spaces, or attaches particles to them. */
const UNSPACED = String.raw`[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`;

/** A character that continues a word. */
const WORD = String.raw`(?!${UNSPACED})[\p{L}\p{N}]`;

/** Arabic and Hebrew words that are attached to the next word, such as "and". */
const PREFIX = String.raw`[\u0641\u0643\u0644\u0648\u0628\u05d1\u05d4\u05d5\u05db\u05dc\u05de\u05e9]{1,2}`;

// Korean attaches particles only to the end of a word.
const START = String.raw`(?<!\p{sc=Hang}(?=\p{sc=Hang}))(?:(?<!${WORD})|(?<=(?<!${WORD})${PREFIX})|(?=${UNSPACED}))`;
const END = `(?:(?!${WORD})|(?<=${UNSPACED}))`;

// The lengths are bounded, because unbounded matching would take quadratic time.
const EMAIL = String.raw`[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}`;
const PHONE = String.raw`(?<!${WORD})(?:(?:\+|00)[1-9](?:[ ()./-]{0,2}\d){6,13}|0[1-9](?:[ ()/-]{0,2}\d){7,12})(?!\d)`;

/** A contact's name and `ref`; each is null if it is not set. */
interface Named {
  name: string | null;
  ref: string | null;
}

/**
 * Replaces a contact's name, `ref` and addresses, and text that looks like an e-mail address or a phone
 * number. Equal strings have equal replacements, and phone numbers retain their first digits.
 */
export class Pseudonyms {
  private readonly known = new Map<string, string>();
  private readonly pattern: RegExp;
  private readonly counts = { email: 0, phone: 0, other: 0 };

  constructor(contact: Named | null, addresses: readonly string[]) {
    const exact = new Set<string>();
    // Case-insensitive patterns do not match the other case of some letters, such as "İ" and "ß".
    const add = (text: string, standIn: string) => {
      for (const each of [text, text.toLowerCase(), text.toUpperCase()]) {
        exact.add(each);
        this.add(each, standIn);
      }
    };
    const name = contact?.name?.trim() ?? "";
    // Between Latin letters, "·" is part of a word.
    const parts = name.split(/[\s,・]+|(?<=\p{sc=Hani})·/u);
    const [first, ...others] = parts.filter((word) => word.length >= NAME_MIN_LENGTH);
    // Chinese, Japanese and Korean names are usually written without the space, the family name first.
    const joined = new RegExp(UNSPACED, "u").test(name) ? [parts.join(""), parts.toReversed().join("")] : [];
    if (parts.length > 1) for (const full of [name, ...joined]) add(full, `${FIRST_NAME} ${LAST_NAME}`);
    if (first !== undefined) add(first, FIRST_NAME);
    // Skips words without capitals, such as "van", which are common in other texts, if their script has capitals.
    for (const word of others) if (/(?!\p{CWT})\p{L}/u.test(word)) add(word, LAST_NAME);
    if (contact?.ref != null && contact.ref.length >= REF_MIN_LENGTH) add(contact.ref, REF);
    for (const address of addresses)
      if (address.length >= REF_MIN_LENGTH) add(address, this.standInFor(address));
    const escaped = [...exact]
      .sort((a, b) => b.length - a.length)
      .map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
    const names = escaped.length === 0 ? [] : [`${START}(?:${escaped.join("|")})${END}`];
    this.pattern = new RegExp([EMAIL, PHONE, ...names].join("|"), "giu");
  }

  /** Returns the replacements for the contact's name and `ref`. */
  identity({ name, ref }: Named): Named {
    const other = name !== null && this.of(name);
    return { name: other === name ? FIRST_NAME : other || null, ref: ref === null ? null : REF };
  }

  /** Replaces all strings in a JSON value, but not member names. */
  of<Value>(value: Value): Value {
    if (typeof value === "string") return this.inText(value) as Value;
    if (Array.isArray(value)) return value.map((each) => this.of(each)) as Value;
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.of(each)])) as Value;
  }

  private inText(text: string): string {
    return text.replace(this.pattern, (found) => {
      this.add(found, () => this.standInFor(found));
      return this.known.get(found.toLowerCase()) as string;
    });
  }

  /** Adds a replacement for a string, unless the string already has one. */
  private add(text: string, standIn: string | (() => string)): void {
    const key = text.toLowerCase();
    if (!this.known.has(key)) this.known.set(key, typeof standIn === "string" ? standIn : standIn());
  }

  private standInFor(address: string): string {
    if (address.includes("@")) return `person${++this.counts.email}@example.com`;
    if (!/^\+?[\d ()./-]+$/.test(address)) return `address-${++this.counts.other}`;
    const count = String(++this.counts.phone).padStart(2, "0");
    const digits = address.replace(/\D/g, "").length;
    let at = 0;
    return address.replace(/\d/g, (digit) => {
      at += 1;
      if (at <= 2) return digit;
      return at <= digits - count.length ? "0" : (count[at - 1 - digits + count.length] as string);
    });
  }
}
