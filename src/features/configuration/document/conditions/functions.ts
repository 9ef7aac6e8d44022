import { instantOf } from "../../../../common/instant";
import { isZone, type LocalFormats, similarZones } from "../local-formats";
import type { StepBudget } from "../step-budget";
import { Duration, isList, isObject, type Value } from "../value";
import { Failure } from "./failure";
import { duration, instant, int64, typeOf } from "./operators";

/** A function available to conditions; a method receives its receiver as the first argument. */
export type ConditionFunction = (args: readonly Value[], steps: StepBudget, formats: LocalFormats) => Value;

/** Cost of parsing a time (steps). */
const STEPS_PER_TIME = 10;

const invalid = (message: string) => new Failure("invalid_value", message);

const text = (value: Value | undefined): string => {
  if (typeof value === "string") return value;
  throw new Failure("type_mismatch", `A value of type ${typeOf(value ?? null)} is not a string.`);
};

/** Returns a value that must be a string, and spends the cost of reading it. */
function read(value: Value | undefined, steps: StepBudget): string {
  const found = text(value);
  steps.spendText(found.length);
  return found;
}

/** Creates a string method. */
const ofText =
  (run: (text: string, steps: StepBudget) => Value): ConditionFunction =>
  ([receiver], steps) =>
    run(read(receiver, steps), steps);

/** Changes ASCII letters only, as in CEL, because the case of other letters depends on the Unicode version. */
const changeCase = (change: (text: string) => string): ConditionFunction =>
  ofText((value, steps) => {
    if (isAscii(value)) return change(value);
    // In the worst case, every second character starts a separate match.
    steps.spend(value.length);
    return value.replace(/[^\u0080-\uffff]+/g, (part) => change(part));
  });

const isAscii = (value: string): boolean => !/[\u0080-\uffff]/.test(value);

/** Creates a string method that searches for another string. */
const search =
  (find: (text: string, pattern: string) => boolean): ConditionFunction =>
  ([receiver, argument], steps) => {
    const [value, pattern] = [text(receiver), text(argument)];
    steps.spendSearch(value.length, pattern.length);
    return find(value, pattern);
  };

/** Creates `startsWith` or `endsWith`, which cost as much as reading the other string. */
const affix =
  (has: (text: string, part: string) => boolean): ConditionFunction =>
  ([receiver, argument], steps) => {
    const value = text(receiver);
    return has(value, read(argument, steps));
  };

const size: ConditionFunction = ([value = null], steps) => {
  if (typeof value === "string") {
    // Counting a string's characters costs about as much as reading the string twice.
    steps.spendText(2 * value.length);
    return BigInt([...value].length);
  }
  if (isList(value)) return BigInt(value.length);
  if (!isObject(value)) throw new Failure("type_mismatch", `A value of type ${typeOf(value)} has no size.`);
  const { length } = Object.keys(value);
  steps.spend(length);
  return BigInt(length);
};

/** Creates a method for timestamps (in UTC), and for durations if `unitMs` is given. */
const ofTime =
  (ofDate: (date: Date) => number, unitMs?: number): ConditionFunction =>
  ([receiver = null]) => {
    if (receiver instanceof Date) return BigInt(ofDate(receiver));
    if (receiver instanceof Duration && unitMs) return BigInt(Math.trunc(receiver.ms / unitMs));
    throw noTimePart(receiver);
  };

const noTimePart = (value: Value) =>
  new Failure("type_mismatch", `A value of type ${typeOf(value)} has no such date or time component.`);

/** Creates a method for timestamps in a time zone; null means the configuration's zone. */
const ofLocalTime =
  (ofDate: (date: Date) => number): ConditionFunction =>
  ([receiver = null, zone = null], steps, formats) => {
    if (!(receiver instanceof Date)) throw noTimePart(receiver);
    const local = formats.inZone(receiver, zone === null ? formats.zone : text(zone), steps);
    if (local === undefined) throw invalid("The time zone is unknown.");
    return BigInt(ofDate(local));
  };

const dayOfYear = (date: Date): number => {
  const start = new Date(date);
  start.setUTCMonth(0, 1);
  return Math.round((startOfDay(date) - startOfDay(start)) / 86_400_000);
};

const startOfDay = (date: Date): number => new Date(date).setUTCHours(0, 0, 0, 0);

/** Methods that return a part of a date or time, or a duration in a unit, with the unit's length (ms). */
const TIME_PARTS: Readonly<Record<string, [ofDate: (date: Date) => number, unitMs?: number]>> = {
  getFullYear: [(date) => date.getUTCFullYear()],
  getMonth: [(date) => date.getUTCMonth()],
  getDate: [(date) => date.getUTCDate()],
  getDayOfMonth: [(date) => date.getUTCDate() - 1],
  getDayOfWeek: [(date) => date.getUTCDay()],
  getDayOfYear: [dayOfYear],
  getHours: [(date) => date.getUTCHours(), 3_600_000],
  getMinutes: [(date) => date.getUTCMinutes(), 60_000],
  getSeconds: [(date) => date.getUTCSeconds(), 1_000],
  getMilliseconds: [(date) => date.getUTCMilliseconds(), 1],
};

/** Returns the problem with a method's literal arguments; undefined if there is none. */
export const literalProblem = (name: string, [zone]: readonly unknown[]): string | undefined =>
  Object.hasOwn(TIME_PARTS, name) && typeof zone === "string" && !isZone(zone)
    ? `uses the unknown time zone ${zone}${similarZones(zone)}`
    : undefined;

/** The functions available to conditions, by name and number of arguments. */
export const FUNCTIONS: ReadonlyMap<string, ConditionFunction> = new Map<string, ConditionFunction>([
  ["size/1", size],
  ["bool/1", ([value = null]) => toBool(value)],
  ["int/1", ([value = null], steps) => toInt(value, steps)],
  ["double/1", ([value = null], steps) => toDouble(value, steps)],
  ["string/1", ([value = null]) => toText(value)],
  ["timestamp/1", ([value = null], steps) => toInstant(value, steps)],
  ["duration/1", ([value = null], steps) => toDuration(text(value), steps)],
]);

/** The methods available to conditions, by name and number of arguments. */
export const METHODS: ReadonlyMap<string, ConditionFunction> = new Map<string, ConditionFunction>([
  ["size/0", size],
  ["contains/1", search((value, pattern) => value.includes(pattern))],
  ["startsWith/1", affix((value, part) => value.startsWith(part))],
  ["endsWith/1", affix((value, part) => value.endsWith(part))],
  ["lowerAscii/0", changeCase((text) => text.toLowerCase())],
  ["upperAscii/0", changeCase((text) => text.toUpperCase())],
  ["trim/0", ofText((value) => value.trim())],
  ...Object.entries(TIME_PARTS).flatMap(([name, [ofDate, unitMs]]): [string, ConditionFunction][] => [
    [`${name}/0`, ofTime(ofDate, unitMs)],
    [`${name}/1`, ofLocalTime(ofDate)],
  ]),
]);

function toBool(value: Value): boolean {
  if (typeof value === "boolean") return value;
  if (value === "true") return true;
  if (value === "false") return false;
  throw invalid("The value is neither true nor false.");
}

function toInt(value: Value, steps: StepBudget): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new Failure("overflow", "The number is not finite.");
    return int64(BigInt(Math.trunc(value)));
  }
  const digits = read(value, steps);
  if (!/^-?\d{1,19}$/.test(digits)) throw invalid("The string is not an integer.");
  return int64(BigInt(digits));
}

function toDouble(value: Value, steps: StepBudget): number {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  const digits = read(value, steps);
  if (!/^-?\d{1,50}(\.\d{1,50})?(e[+-]?\d{1,3})?$/i.test(digits))
    throw invalid("The string is not a number.");
  return Number(digits);
}

function toText(value: Value): string {
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "bigint") return `${value}`;
  if (typeof value === "number") {
    if (Number.isFinite(value) || Number.isNaN(value)) return `${value}`;
    return value > 0 ? "+Inf" : "-Inf";
  }
  throw new Failure("type_mismatch", `A value of type ${typeOf(value)} cannot be converted to a string.`);
}

function toInstant(value: Value, steps: StepBudget): Date {
  steps.spend(STEPS_PER_TIME);
  if (value instanceof Date) return value;
  if (typeof value === "bigint") return instant(Number(value) * 1000);
  const parsed = instantOf(read(value, steps));
  if (!parsed) throw invalid("The string is not a time such as 2026-01-31T12:00:00Z.");
  return parsed;
}

const UNITS_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

function toDuration(value: string, steps: StepBudget): Duration {
  steps.spend(STEPS_PER_TIME + value.length);
  if (value.length > 100 || !/^[+-]?(\d+(\.\d+)?(h|ms|m|s))+$/.test(value)) {
    throw invalid("The string is not a duration such as 1h30m.");
  }
  const parts = [...value.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)];
  const ms = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNITS_MS[unit ?? ""] ?? 0), 0);
  return duration(value.startsWith("-") ? -ms : ms);
}
