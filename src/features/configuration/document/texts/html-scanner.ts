// The lists of allowed HTML are in the scanner's file, because each list belongs to one of the scanner's states.

import { suggestion } from "../../../../common/suggest";
import { UNSUBSCRIBE_URL } from "../../../messages/message.limits";

/** Thrown for HTML that is not allowed. */
export class HtmlError extends Error {
  override readonly name = "HtmlError";

  /** @param index position of the disallowed part in the last scanned text */
  constructor(
    message: string,
    readonly index?: number,
  ) {
    super(message);
  }
}

const wordsIn = (text: string): string[] => text.split(/\s+/);

const VOID_ELEMENTS: ReadonlySet<string> = new Set(["br", "hr", "img"]);

/** Elements for running text, lists, tables and images; none of them runs or loads scripts. */
const ELEMENTS: ReadonlySet<string> = new Set([
  ...VOID_ELEMENTS,
  ...wordsIn(`a abbr b blockquote center code div em font h1 h2 h3 h4 h5 h6 i li ol p pre
    s small span strong sub sup table tbody td tfoot th thead tr u ul`),
]);

const ATTRIBUTES: ReadonlySet<string> = new Set(
  wordsIn(`align alt bgcolor border cellpadding cellspacing color colspan dir face
    height lang role rowspan size start style title valign width`),
);

/** The attributes with URLs, and the URLs that they may contain. */
const URLS: Readonly<Record<string, { of: string; starts: RegExp; expected: string }>> = {
  href: {
    of: "a",
    starts: new RegExp(`^(?:https://|mailto:|${UNSUBSCRIBE_URL.replace(/[{}]/g, "\\$&")}$)`, "i"),
    expected: "https:// or mailto:",
  },
  src: { of: "img", starts: /^https:\/\//i, expected: "https://" },
};

const SIDES = ["", "-top", "-right", "-bottom", "-left"];

const STYLES: ReadonlySet<string> = new Set([
  ...["margin", "padding", "border"].flatMap((name) => SIDES.map((side) => `${name}${side}`)),
  ...wordsIn(`border-collapse border-color border-radius border-spacing border-style border-width background
    background-color color direction display font font-family font-size font-style font-weight height
    letter-spacing line-height list-style max-height max-width min-height min-width opacity overflow
    table-layout text-align text-decoration text-indent text-transform vertical-align white-space width
    word-break word-spacing word-wrap`),
]);

/** Matches CSS values without escapes or functions other than colors, so that they load no resources. */
const STYLE_VALUE = /^(?:[\w\s#%.,'"!+-]|(?:rgb|hsl)a?\([\d\s.,%/]*\))+$/i;

/** Max nesting depth of elements. */
const MAX_OPEN = 100;

/** A scanner's state between two parts of the scanned string. */
interface Place {
  /** The open elements, outermost first. */
  open: readonly string[];
  /** The element whose start tag is incomplete. */
  tag: string | null;
  /** True immediately after a name or value in a tag. */
  needsSpace: boolean;
  /** The attribute whose value is still incomplete. */
  attribute: string | null;
  quote: string;
  /** The scanned start of a style's value, or of a URL that is not yet known to be allowed. */
  value: string;
  /** True if the URL is allowed, or is checked once the values inserted into it are known. */
  isChecked: boolean;
}

const START: Place = {
  ...{ open: [], tag: null, needsSpace: false },
  ...{ attribute: null, quote: "", value: "", isChecked: false },
};

/** Checks HTML part by part: all must be allowed, quoted, nested and closed, so that inserted values remain text. */
export class HtmlScanner {
  private place = START;

  /** True immediately after the unsubscribe link, which must be its attribute's whole value. */
  private isAfterLink = false;

  /** The scanner's state; equivalent contexts have equal states, compared as JSON. */
  get at(): Place {
    return this.place;
  }

  set at(place: Place) {
    this.place = place;
    this.isAfterLink = false;
  }

  /** @throws HtmlError with the first problem */
  scan(text: string): void {
    for (let index = 0; index < text.length; ) {
      const { tag, attribute } = this.place;
      if (attribute !== null) index = this.scanValue(text, index, attribute);
      else if (tag !== null) index = this.scanTag(text, index, tag);
      else index = this.scanText(text, index);
    }
  }

  /**
   * Skips an escaped value; its text is not known yet.
   * @param isLink true for the unsubscribe link
   * @throws HtmlError where no value is allowed
   */
  skipValue(isLink: boolean): void {
    const { tag, attribute, isChecked, value } = this.place;
    if (tag === null) return;
    if (attribute === null) throw new HtmlError("must not insert a value outside quotes in a tag");
    if (attribute === "style") throw new HtmlError("must not insert a value in a style");
    const url = URLS[attribute];
    if (url === undefined || isChecked) return;
    if (value !== "") assertUrl(attribute, value);
    this.change({ value: "", isChecked: true });
    this.isAfterLink = isLink;
  }

  /** @throws HtmlError if a quote, tag or element is not closed */
  end(): void {
    const { tag, attribute, open } = this.place;
    if (attribute !== null) throw new HtmlError(`has an unclosed quote in the attribute ${attribute}`);
    if (tag !== null) throw new HtmlError(`is missing the > of <${tag}`);
    if (open.length > 0) throw new HtmlError(`has an unclosed <${open.at(-1)}>`);
  }

  private change(place: Partial<Place>): void {
    this.place = { ...this.place, ...place };
  }

  private scanText(text: string, from: number): number {
    const index = text.indexOf("<", from);
    if (index < 0) return text.length;
    const [found, slash = "", written = ""] = matchAt(/<(\/?)([a-z][a-z0-9-]{0,50})/iy, text, index) ?? [];
    if (found === undefined) {
      const isDeclaration = /[!?]/.test(text[index + 1] ?? "");
      throw new HtmlError(
        isDeclaration
          ? "must not contain a comment or declaration"
          : "has an unescaped <: write &lt; instead",
        index,
      );
    }
    const tag = written.toLowerCase();
    if (!ELEMENTS.has(tag))
      throw new HtmlError(`must not contain the element ${tag}${suggestion(tag, ELEMENTS)}`, index);
    if (slash === "") {
      this.change({ tag, needsSpace: true });
      return index + found.length;
    }
    const { open } = this.place;
    const expected = open.at(-1);
    if (tag !== expected) {
      const instead = expected === undefined ? "" : `: </${expected}> is expected first`;
      throw new HtmlError(`has an unexpected </${tag}>${instead}`, index);
    }
    const [rest] = matchAt(/\s*>/y, text, index + found.length) ?? [];
    if (rest === undefined) throw new HtmlError(`is missing the > of </${tag}`, index);
    this.change({ open: open.slice(0, -1) });
    return index + found.length + rest.length;
  }

  private scanTag(text: string, from: number, tag: string): number {
    const [space = ""] = matchAt(/\s+/y, text, from) ?? [];
    const index = from + space.length;
    const needsSpace = this.place.needsSpace && space === "";
    if (index === text.length) {
      this.change({ needsSpace });
      return index;
    }
    const [end] = matchAt(/\/?>/y, text, index) ?? [];
    if (end !== undefined) {
      const { open } = this.place;
      if (open.length === MAX_OPEN) throw new HtmlError("nests elements too deeply", index);
      this.change({ tag: null, needsSpace: false, open: VOID_ELEMENTS.has(tag) ? open : [...open, tag] });
      return index + end.length;
    }
    const [found, written = "", equals, quote] =
      (needsSpace ? null : matchAt(/([^\s"'<>/=]{1,50})(\s*=\s*)?(["'])?/y, text, index)) ?? [];
    if (found === undefined) throw new HtmlError(`has a malformed <${tag}> tag`, index);
    const attribute = written.toLowerCase();
    const url = Object.hasOwn(URLS, attribute) ? URLS[attribute] : undefined;
    if (url === undefined ? !ATTRIBUTES.has(attribute) : url.of !== tag) {
      const others = [...ATTRIBUTES, ...Object.keys(URLS).filter((name) => URLS[name]?.of === tag)];
      throw new HtmlError(
        `must not use the attribute ${attribute} in <${tag}>${suggestion(attribute, others)}`,
        index,
      );
    }
    if (equals === undefined || quote === undefined)
      throw new HtmlError(`is missing a quoted value for the attribute ${attribute}`, index);
    this.change({ attribute, quote, value: "", isChecked: false });
    return index + found.length;
  }

  private scanValue(text: string, from: number, attribute: string): number {
    const { quote, isChecked, value } = this.place;
    const end = text.indexOf(quote, from);
    const part = text.slice(from, end < 0 ? undefined : end);
    const tag = part.indexOf("<");
    if (tag >= 0) throw new HtmlError(`has an unescaped < in the attribute ${attribute}`, from + tag);
    if (this.isAfterLink && part !== "")
      throw new HtmlError(`has text after the unsubscribe link in the attribute ${attribute}`, from);
    this.isAfterLink = false;
    const whole = value + part;
    const url = URLS[attribute];
    const isAllowed = isChecked || url?.starts.test(whole) === true;
    if (end >= 0) {
      if (url !== undefined && !isAllowed) assertUrl(attribute, whole, from);
      if (attribute === "style") assertStyle(whole, from);
      this.change({ attribute: null, needsSpace: true, quote: "", value: "", isChecked: false });
      return end + 1;
    }
    if (attribute === "style" || (url !== undefined && !isAllowed)) this.change({ value: whole });
    else this.change({ value: "", isChecked: isAllowed });
    return text.length;
  }
}

/** Returns the match of a sticky regular expression at an index. */
function matchAt(expression: RegExp, text: string, index: number): RegExpExecArray | null {
  expression.lastIndex = index;
  return expression.exec(text);
}

function assertUrl(attribute: string, value: string, index?: number): void {
  const { starts, expected } = URLS[attribute] as (typeof URLS)[string];
  if (!starts.test(value))
    throw new HtmlError(`has an invalid ${attribute}: it must start with ${expected}`, index);
}

function assertStyle(text: string, index: number): void {
  for (const declaration of text.split(";")) {
    const colon = declaration.indexOf(":");
    const name = declaration.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (colon < 0 && declaration.trim() === "") continue;
    if (!STYLES.has(name))
      throw new HtmlError(
        name === ""
          ? "has a style without a name"
          : `must not use the style ${name}${suggestion(name, STYLES)}`,
        index,
      );
    if (!STYLE_VALUE.test(declaration.slice(colon + 1)))
      throw new HtmlError(`has an invalid value for the style ${name}`, index);
  }
}
