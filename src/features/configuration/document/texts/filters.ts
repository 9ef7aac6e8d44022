import type { StepBudget } from "../step-budget";
import { isList, type Value } from "../value";
import { type Filter, LOCAL_FILTERS } from "./local-filters";
import type { TextRun } from "./text-run";
import { TextError, textOf } from "./text-value";

/** Creates a filter for numbers; any other value is treated as 0. */
const ofNumber = (argumentCount: number, calculate: (...numbers: number[]) => number): Filter => ({
  min: argumentCount,
  max: argumentCount,
  run: (value, args, { steps }) => {
    const result = calculate(...[value, ...args].map((each) => numberOf(each, steps)));
    if (Number.isFinite(result)) return result;
    throw new TextError("a calculation has no finite result");
  },
});

/** Creates a filter for text; `readings` is its cost relative to reading the text, 0 if it spends its own. */
const ofText = (
  min: number,
  max: number,
  transform: (text: string, args: readonly Value[], run: TextRun) => Value,
  readings = 0,
): Filter => ({
  min,
  max,
  run: (value, args, run) => {
    const text = textOf(value, run.steps);
    if (readings > 0) run.steps.spendText(readings * text.length);
    return transform(text, args, run);
  },
});

function numberOf(value: Value, steps: StepBudget): number {
  steps.spendText(typeof value === "string" ? value.length : 0);
  const number = typeof value === "string" || typeof value === "number" ? Number(value) : 0;
  return Number.isFinite(number) ? number : 0;
}

/** The filters available to templates; they never use the clock, random numbers or data from outside the decision. */
const FILTERS: Readonly<Record<string, Filter>> = {
  abs: ofNumber(0, Math.abs),
  at_least: ofNumber(1, Math.max),
  at_most: ofNumber(1, Math.min),
  ceil: ofNumber(0, Math.ceil),
  divided_by: ofNumber(1, (value = 0, divisor = 0) => value / divisor),
  floor: ofNumber(0, Math.floor),
  minus: ofNumber(1, (value = 0, other = 0) => value - other),
  modulo: ofNumber(1, (value = 0, divisor = 0) => ((value % divisor) + divisor) % divisor),
  plus: ofNumber(1, (value = 0, other = 0) => value + other),
  times: ofNumber(1, (value = 0, factor = 0) => value * factor),
  round: {
    min: 0,
    max: 1,
    run: (value, [digits = 0], { steps }) => round(numberOf(value, steps), numberOf(digits, steps)),
  },

  append: ofText(1, 1, (text, [other = ""], { steps }) => joined([text, textOf(other, steps)], "", steps)),
  prepend: ofText(1, 1, (text, [other = ""], { steps }) => joined([textOf(other, steps), text], "", steps)),
  capitalize: ofText(0, 0, (text) => text.charAt(0).toUpperCase() + text.slice(1).toLowerCase(), 3),
  downcase: ofText(0, 0, (text) => text.toLowerCase(), 3),
  upcase: ofText(0, 0, (text) => text.toUpperCase(), 3),
  strip: ofText(0, 0, (text) => text.trim(), 1),
  remove: ofText(1, 1, (text, [part = ""], run) => replaced(text, textOf(part, run.steps), "", run)),
  replace: ofText(2, 2, (text, [part = "", by = ""], run) =>
    replaced(text, textOf(part, run.steps), textOf(by, run.steps), run),
  ),
  truncate: ofText(
    0,
    2,
    (text, [length = 50, end = "..."], { steps }) =>
      truncated(text, numberOf(length, steps), textOf(end, steps)),
    3,
  ),
  url_encode: ofText(0, 0, (text) => encodeURIComponent(text.toWellFormed()).replaceAll("%20", "+"), 9),

  default: { min: 1, max: 1, run: (value, [other = null]) => (isAbsent(value) ? other : value) },
  first: { min: 0, max: 0, run: (value) => itemsOf(value).at(0) ?? null },
  last: { min: 0, max: 0, run: (value) => itemsOf(value).at(-1) ?? null },
  size: { min: 0, max: 0, run: (value) => (typeof value === "string" || isList(value) ? value.length : 0) },
  join: {
    min: 0,
    max: 1,
    run: (value, [separator = " "], { steps }) =>
      joined(
        (isList(value) ? value : [value]).map((item) => textOf(item, steps)),
        textOf(separator, steps),
        steps,
      ),
  },
  ...LOCAL_FILTERS,
};

export const FILTER_NAMES: readonly string[] = Object.keys(FILTERS);

/** Returns the filter with this name; undefined if there is none. */
export const filterOf = (name: string): Filter | undefined =>
  Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;

const isAbsent = (value: Value): boolean =>
  value === null || value === false || value === "" || (isList(value) && value.length === 0);

const itemsOf = (value: Value): readonly Value[] => (isList(value) ? value : []);

function joined(texts: readonly string[], separator: string, steps: StepBudget): string {
  steps.spendText(texts.reduce((sum, text) => sum + text.length + separator.length, 0));
  return texts.join(separator);
}

function replaced(text: string, part: string, by: string, { steps }: TextRun): string {
  if (part === "") return text;
  steps.spendSearch(text.length, part.length);
  const parts = text.split(part);
  // Splitting and joining take up to one step per part, no matter how short the part is.
  steps.spend(parts.length);
  return joined(parts, by, steps);
}

/** Truncates text to a number of characters, including `end`. */
function truncated(text: string, length: number, end: string): string {
  const characters = [...text];
  if (characters.length <= length) return text;
  return characters.slice(0, Math.max(0, length - [...end].length)).join("") + end;
}

function round(value: number, digits: number): number {
  const places = Math.min(Math.max(Math.trunc(digits), -15), 15);
  const [mantissa, exponent = "0"] = String(Math.abs(value)).split("e");
  const scaled = Number(`${mantissa}e${Number(exponent) + places}`);
  if (scaled > Number.MAX_SAFE_INTEGER) return value;
  return Math.sign(value) * Number(`${Math.round(scaled)}e${-places}`);
}
