// One file, because tags contain templates: the function for each tag compiles its branches with `compileAll`.

import {
  CaseTag,
  ForTag,
  IfTag,
  Liquid,
  LiquidError,
  Output,
  type Template,
  type Token,
  TypeGuards,
  UnlessTag,
} from "liquidjs";
import { pluralsOf } from "../local-formats";
import { type Problem, positionAt, SourceError } from "../problem";
import { type Shapes, unknownName } from "../shapes";
import { isList, type Value } from "../value";
import {
  compileOperand,
  compileValue,
  isSame,
  isTruthy,
  type PluralForms,
  type ReadName,
  type TextPlace,
  textSourceError,
} from "./expression";
import { HtmlError, type HtmlScanner } from "./html-scanner";
import type { TextRun } from "./text-run";
import { TextError } from "./text-value";

/** A template part that produces output. */
type Writer = (run: TextRun) => void;

/** Max nesting depth of tags in a template. */
const MAX_DEPTH = 20;

const TAGS = ["case", "for", "if", "unless"];

/** A parser that knows only the tags supported in templates, and never evaluates anything. */
const parser = (() => {
  let liquid: Liquid | undefined;
  return () => {
    if (liquid) return liquid;
    // Without a locale, the parser would load Intl's data to determine one, although it formats no dates.
    liquid = new Liquid({ templates: {}, locale: "en" });
    for (const name of Object.keys(liquid.tags)) if (!TAGS.includes(name)) delete liquid.tags[name];
    return liquid;
  };
})();

export class TextTemplate {
  private constructor(
    private readonly write: Writer,
    private readonly names: readonly ReadName[],
    private readonly plurals: readonly PluralForms[],
  ) {}

  /**
   * Parses a template in Liquid. The gateway renders texts itself, because the library cannot count steps.
   * @param html the scanner to check the template with, if the template is HTML
   * @throws SourceError with the first problem
   */
  static parse(source: string, html?: HtmlScanner): TextTemplate {
    const names: ReadName[] = [];
    const plurals: PluralForms[] = [];
    try {
      const write = compileAll(parser().parse(source), { variables: [], names, plurals, depth: 0, html });
      html?.end();
      return new TextTemplate(write, names, plurals);
    } catch (error) {
      throw sourceErrorOf(error, source);
    }
  }

  /**
   * Finds names that are missing in at least one of the situations.
   * @param max max problems to report, because finding the position of each problem means scanning the source
   */
  missingNames(situations: readonly Shapes[], max: number): SourceError[] {
    const missing = new Map<string, Problem["unknown"]>();
    const problems: SourceError[] = [];
    for (const { path, token } of this.names) {
      if (problems.length === max) break;
      const key = JSON.stringify(path);
      if (!missing.has(key)) missing.set(key, unknownIn(situations, path));
      const unknown = missing.get(key);
      if (unknown !== undefined)
        problems.push(textSourceError(token, `refers to ${path.join(".")}, ${whyMissing(path)}`, unknown));
    }
    return problems;
  }

  /** True if the template reads a value with this name. */
  reads(name: string): boolean {
    return this.names.some(({ path: [root] }) => root === name);
  }

  /** Finds uses of the filter `plural` that lack one of a language's plural forms. */
  missingPlurals(locale: string, max: number): SourceError[] {
    const problems: SourceError[] = [];
    for (const { token, names } of this.plurals) {
      if (problems.length === max) break;
      const missing = pluralsOf(locale).filter((form) => !names.includes(form));
      const message = `has no form ${missing.join(", ")} for the language ${locale}, so other is used`;
      if (missing.length > 0) problems.push(textSourceError(token, message));
    }
    return problems;
  }

  /** @throws TextError if the text cannot be rendered, or TooExpensive after too many steps */
  render(run: TextRun): TextRun {
    this.write(run);
    return run;
  }
}

function unknownIn(situations: readonly Shapes[], path: ReadName["path"]): Problem["unknown"] {
  for (const shapes of situations) {
    const unknown = unknownName(shapes, path);
    if (unknown !== undefined) return unknown;
  }
  return undefined;
}

const whyMissing = ([root]: readonly (string | number)[]): string =>
  root === "unsubscribeUrl" ? "which is available only in messages with a topic" : "which does not exist";

function sourceErrorOf(error: unknown, source: string): SourceError {
  if (error instanceof SourceError) return error;
  if (error instanceof RangeError) return new SourceError("is nested too deeply");
  if (error instanceof HtmlError) return new SourceError(error.message, positionAt(source, source.length));
  if (!LiquidError.is(error)) throw error;
  // The library appends the position to the message.
  const reason = (error.originalError?.message ?? error.message).replace(/, line:\d+, col:\d+$/, "");
  return new SourceError(`is not valid: ${reason}`, positionAt(source, error.token.begin));
}

function compileAll(templates: readonly Template[], outer: TextPlace): Writer {
  const place = { ...outer, depth: outer.depth + 1 };
  if (place.depth > MAX_DEPTH) throw new SourceError("is nested too deeply");
  const writers = templates.map((template) => compile(template, place));
  return (run) => {
    for (const write of writers) write(run);
  };
}

function compile(template: Template, place: TextPlace): Writer {
  const { token } = template;
  if (TypeGuards.isHTMLToken(token)) {
    const text = token.getContent();
    inHtml(place, token, token.trimLeft, (html) => html.scan(text));
    return (run) => run.write(text);
  }
  if (template instanceof Output) {
    const before = place.names.length;
    const value = compileValue(template.value, token, place);
    const [name] = template.value.initial.postfix.length === 1 ? place.names.slice(before) : [];
    inHtml(place, token, 0, (html) => html.skipValue(name?.path[0] === "unsubscribeUrl"));
    return (run) => run.writeValue(value(run, false));
  }
  if (template instanceof IfTag || template instanceof UnlessTag) return compileBranches(template, place);
  if (template instanceof CaseTag) return compileCase(template, place);
  if (template instanceof ForTag) return compileFor(template, place);
  throw textSourceError(token, "uses an unsupported tag");
}

/** Checks a part of a template as HTML; `start` is the part's offset in the token. */
function inHtml({ html }: TextPlace, token: Token, start: number, check: (html: HtmlScanner) => void): void {
  if (html === undefined) return;
  try {
    check(html);
  } catch (error) {
    if (!(error instanceof HtmlError)) throw error;
    throw new SourceError(error.message, positionAt(token.input, token.begin + start + (error.index ?? 0)));
  }
}

/** Returns a function that compiles branches, and checks that all leave the same HTML elements open. */
function alternatives({ token }: Template, { html }: TextPlace): (compileOne: () => Writer) => Writer {
  if (html === undefined) return (compileOne) => compileOne();
  const start = html.at;
  let end: string | undefined;
  return (compileOne) => {
    html.at = start;
    const write = compileOne();
    const at = JSON.stringify(html.at);
    end ??= at;
    if (at !== end)
      throw textSourceError(token, "has branches that do not open and close the same tags and quotes");
    return write;
  };
}

const NOTHING: Writer = () => undefined;

function compileBranches(tag: IfTag | UnlessTag, place: TextPlace): Writer {
  const oneOf = alternatives(tag, place);
  const branches = tag.branches.map(({ value, templates }, index) => ({
    test: compileValue(value, tag.token, place),
    /** The truth value that selects the branch. */
    expected: !(tag instanceof UnlessTag && index === 0),
    write: oneOf(() => compileAll(templates, place)),
  }));
  const otherwise = oneOf(() => compileAll(tag.elseTemplates ?? [], place));
  return (run) => {
    run.steps.spend(1);
    const chosen = branches.find(({ test, expected }) => isTruthy(test(run, true)) === expected);
    (chosen?.write ?? otherwise)(run);
  };
}

function compileCase(tag: CaseTag, place: TextPlace): Writer {
  const target = compileValue(tag.value, tag.token, place);
  const oneOf = alternatives(tag, place);
  const branches = tag.branches.map(({ values, templates }) => ({
    values: values.map((value) => compileOperand(value, tag.token, place)),
    write: oneOf(() => compileAll(templates, place)),
  }));
  const otherwise = oneOf(() => compileAll(tag.elseTemplates, place));
  return (run) => {
    run.steps.spend(1);
    const value = target(run, true);
    const isChosen = (operand: (typeof branches)[number]["values"][number]) => {
      run.steps.spend(1);
      return isSame(value, operand(run, true), run);
    };
    (branches.find(({ values }) => values.some(isChosen))?.write ?? otherwise)(run);
  };
}

function compileFor(tag: ForTag, place: TextPlace): Writer {
  const collection = compileOperand(tag.collection, tag.token, place);
  const option = (name: string) => {
    const value = tag.hash.hash[name];
    return value && compileOperand(value, tag.token, place);
  };
  const isReversed = Object.hasOwn(tag.hash.hash, "reversed");
  const unknown = Object.keys(tag.hash.hash).find((name) => !["limit", "offset", "reversed"].includes(name));
  if (unknown !== undefined) throw textSourceError(tag.token, `uses the unsupported loop option ${unknown}`);
  const [offset, limit] = [option("offset"), option("limit")];
  const inLoop = { ...place, variables: [...place.variables, tag.variable, "forloop"] };
  const oneOf = alternatives(tag, place);
  const body = oneOf(() => compileAll(tag.templates, inLoop));
  const otherwise = oneOf(() => compileAll(tag.elseTemplates, place));
  // The body may be repeated or skipped, so it must not change the HTML context.
  oneOf(() => NOTHING);
  return (run) => {
    const list = collection(run, false);
    if (list !== null && !isList(list))
      throw new TextError("a loop iterates over a value that is not a list");
    const start = count(offset?.(run, false) ?? 0);
    const end = limit ? start + count(limit(run, false)) : undefined;
    const items = (list ?? []).slice(start, end);
    run.steps.spend(1 + items.length);
    if (items.length === 0) return otherwise(run);
    const ordered = isReversed ? items.reverse() : items;
    const outer = [run.variables.get(tag.variable), run.variables.get("forloop")];
    for (const [index, item] of ordered.entries()) {
      run.variables.set(tag.variable, item);
      run.variables.set("forloop", loopAt(index, ordered.length));
      body(run);
    }
    for (const [position, name] of [tag.variable, "forloop"].entries()) {
      const before = outer[position];
      if (before === undefined) run.variables.delete(name);
      else run.variables.set(name, before);
    }
  };
}

const loopAt = (index: number, length: number): Value => ({
  index: index + 1,
  index0: index,
  rindex: length - index,
  rindex0: length - index - 1,
  first: index === 0,
  last: index === length - 1,
  length,
});

function count(value: Value): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new TextError("the limit and offset of a loop must be whole numbers");
}
