import { FUNCTIONS, METHODS } from "../../src/features/configuration/document/conditions/functions";
import { LocalFormats } from "../../src/features/configuration/document/local-formats";
import { CHARACTERS_PER_STEP, StepBudget } from "../../src/features/configuration/document/step-budget";
import { FILTER_NAMES, filterOf } from "../../src/features/configuration/document/texts/filters";
import { PromptRun } from "../../src/features/configuration/document/texts/prompt-run";
import { TextRun } from "../../src/features/configuration/document/texts/text-run";
import type { Value } from "../../src/features/configuration/document/value";

/** Approximate max size of a situation's data (bytes). */
const SIZE = 32_000;
const of = (character: string) => character.repeat(SIZE / Buffer.byteLength(character));

const DIGITS = of("9");
const DECIMALS = `1.${DIGITS}`;
const SPACES = of(" ");
/** Three characters in upper case. */
const GROWING = of("\u0390");
/** Two characters in lower case. */
const DOTTED = of("\u0130");
/** Nine characters in a URL. */
const WIDE = of("\u4e2d");
const PAIRS = of("\ud83d\ude00");
const FRACTION = `2026-01-01T00:00:00.${"1".repeat(SIZE)}Z`;

/** The most expensive inputs of each filter; none if the filter's work does not depend on input size. */
const INPUTS: Readonly<Record<string, readonly [Value, ...Value[]][]>> = {
  abs: [[DIGITS]],
  append: [[DIGITS, WIDE]],
  at_least: [[DIGITS, DIGITS]],
  at_most: [[DIGITS, SPACES]],
  capitalize: [[GROWING], [DOTTED]],
  ceil: [[DIGITS]],
  date: [
    [FRACTION, "%F"],
    ["2026-01-01", of("%F")],
    ["2026-01-01", DIGITS],
  ],
  default: [],
  divided_by: [[DECIMALS, DECIMALS]],
  downcase: [[DOTTED], [WIDE]],
  first: [],
  floor: [[SPACES]],
  join: [[Array.from({ length: 100 }, () => "9".repeat(SIZE / 100)), WIDE]],
  last: [],
  minus: [[DIGITS, DIGITS]],
  modulo: [[DECIMALS, DECIMALS]],
  money: [[1, "EUR"]],
  number: [["9".repeat(30), 15]],
  plus: [[DIGITS, DIGITS]],
  plural: [[2, "one", "other"]],
  prepend: [[WIDE, DIGITS]],
  remove: [
    [DIGITS, "9"],
    [DIGITS, DIGITS],
  ],
  replace: [
    [DIGITS, "9", "1"],
    [WIDE, "no", DIGITS],
  ],
  round: [[DIGITS, DIGITS]],
  size: [],
  strip: [[SPACES]],
  time: [[FRACTION, "short"]],
  times: [[DIGITS, DIGITS]],
  truncate: [
    [DIGITS, 1],
    [PAIRS, 1e6],
    [DIGITS, 10, WIDE],
    [WIDE, DIGITS, DIGITS],
  ],
  upcase: [[GROWING], [PAIRS]],
  url_encode: [[WIDE], [SPACES], [PAIRS]],
};

/** The filters that create new characters, which takes longer than reading characters. */
const REMAKING = ["capitalize", "downcase", "truncate", "upcase", "url_encode"];

const charactersIn = (value: Value): number =>
  typeof value === "string" ? value.length : Array.isArray(value) ? value.join("").length : 0;

/** Returns the number of characters that a call was charged for, and the number that it read and wrote. */
function charge(call: (steps: StepBudget) => readonly Value[]): { charged: number; handled: number } {
  const steps = new StepBudget(Number.POSITIVE_INFINITY);
  const handled = call(steps).reduce<number>((sum, value) => sum + charactersIn(value), 0);
  return { charged: steps.spent * CHARACTERS_PER_STEP, handled };
}

test("every filter has its most expensive inputs here", () => {
  expect(Object.keys(INPUTS).sort()).toEqual([...FILTER_NAMES].sort());
});

test.each(
  Object.entries(INPUTS).flatMap(([name, inputs]) => inputs.map((input, i) => [name, i, input] as const)),
)("%s (%i) is charged for its input and its output", (name, _, [value, ...args]) => {
  const { charged, handled } = charge((steps) => {
    const run = new TextRun({}, "2026-01-01T00:00:00.000Z", steps);
    return [value, ...args, filterOf(name)?.run(value, args, run, {}) ?? null];
  });
  expect(charged).toBeGreaterThanOrEqual(handled);
  if (REMAKING.includes(name)) expect(charged).toBeGreaterThanOrEqual(3 * charactersIn(value));
});

test.each([
  ["double", FUNCTIONS.get("double/1"), "9".repeat(50)],
  ["duration", FUNCTIONS.get("duration/1"), "1h".repeat(50)],
  ["int", FUNCTIONS.get("int/1"), "9".repeat(18)],
  ["lowerAscii", METHODS.get("lowerAscii/0"), of("Z\u0130")],
  ["size", METHODS.get("size/0"), PAIRS],
  ["timestamp", FUNCTIONS.get("timestamp/1"), FRACTION],
  ["trim", METHODS.get("trim/0"), SPACES],
  ["upperAscii", METHODS.get("upperAscii/0"), of("z\u0390")],
])("%s() is charged for its input", (_, call, value) => {
  const { charged, handled } = charge((steps) => {
    call?.([value], steps, new LocalFormats());
    return [value];
  });
  expect(charged).toBeGreaterThanOrEqual(handled);
});

test.each([
  ["message", TextRun, 2],
  ["value in a prompt, where each character takes six in JSON,", PromptRun, 8],
])("the text of a %s is charged for each time it is read and written", (_, Run, times) => {
  const text = "<".repeat(1_000);
  const { charged } = charge((steps) => {
    const run = new Run({}, "2026-01-01T00:00:00.000Z", steps);
    run.writeValue(text);
    return [run.text];
  });
  expect(charged).toBeGreaterThanOrEqual(times * text.length + text.length);
});
