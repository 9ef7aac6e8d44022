import { isInstant } from "../../../../common/instant";
import type { StepBudget } from "../step-budget";
import { Duration, isList, isObject, type Value } from "../value";
import { Failure } from "./failure";

const MAX_INT = 2n ** 63n - 1n;
const MIN_INT = -(2n ** 63n);

/** The longest duration (ms), about 31,700 years. */
const MAX_DURATION_MS = 1e15;

/** @throws Failure if an integer has more than 64 bits */
export function int64(value: bigint): bigint {
  if (value > MAX_INT || value < MIN_INT) throw new Failure("overflow", "The integer has more than 64 bits.");
  return value;
}

/** @throws Failure if the time is before the year 1 or after 9999 */
export function instant(ms: number): Date {
  if (!isInstant(ms)) throw new Failure("overflow", "The time is not between the years 1 and 9999.");
  return new Date(ms);
}

/** @throws Failure if the duration is too long */
export function duration(ms: number): Duration {
  if (!(Math.abs(ms) <= MAX_DURATION_MS)) throw new Failure("overflow", "The duration is too long.");
  return new Duration(ms);
}

/** Returns the CEL name of a value's type. */
export function typeOf(value: Value): string {
  if (value === null) return "null";
  if (typeof value === "bigint") return "int";
  if (typeof value === "number") return "double";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  if (value instanceof Date) return "timestamp";
  if (value instanceof Duration) return "duration";
  return isList(value) ? "list" : "map";
}

const mismatch = (operator: string, left: Value, right: Value) =>
  new Failure("type_mismatch", `There is no ${typeOf(left)} ${operator} ${typeOf(right)}.`);

/** True if two values are equal: numbers by value, other values only with the same type. */
export function isEqual(left: Value, right: Value, steps: StepBudget): boolean {
  if (typeof left === "string" && typeof right === "string") {
    steps.spendText(Math.min(left.length, right.length));
    return left === right;
  }
  steps.spend(1);
  // biome-ignore lint/suspicious/noDoubleEquals: 1n == 1.0
  if (isNumber(left) && isNumber(right)) return left == right;
  if (left instanceof Date && right instanceof Date) return left.getTime() === right.getTime();
  if (left instanceof Duration && right instanceof Duration) return left.ms === right.ms;
  if (isList(left) && isList(right)) {
    return (
      left.length === right.length && left.every((item, index) => isEqual(item, right[index] ?? null, steps))
    );
  }
  if (isObject(left) && isObject(right)) {
    const names = Object.keys(left);
    return (
      names.length === Object.keys(right).length &&
      names.every(
        (name) => Object.hasOwn(right, name) && isEqual(left[name] ?? null, right[name] ?? null, steps),
      )
    );
  }
  return left === right;
}

const isNumber = (value: Value): value is number | bigint =>
  typeof value === "number" || typeof value === "bigint";

/** True if a list contains an item or a map contains a key. */
export function isIn(item: Value, collection: Value, steps: StepBudget): boolean {
  if (isList(collection)) return collection.some((each) => isEqual(item, each, steps));
  steps.spend(1);
  if (isObject(collection)) return typeof item === "string" && Object.hasOwn(collection, item);
  throw mismatch("in", item, collection);
}

type Comparison = "<" | "<=" | ">" | ">=";

export function holds<T extends string | number | bigint | boolean>(
  operator: string,
  one: T,
  other: T,
): boolean {
  if (operator === "<") return one < other;
  if (operator === "<=") return one <= other;
  return operator === ">" ? one > other : one >= other;
}

export function compare(operator: Comparison, left: Value, right: Value, steps: StepBudget): boolean {
  if (typeof left === "string" && typeof right === "string") {
    steps.spendText(Math.min(left.length, right.length));
    return holds(operator, left, right);
  }
  steps.spend(1);
  if (isNumber(left) && isNumber(right)) return holds(operator, left, right);
  if (typeof left === "boolean" && typeof right === "boolean") return holds(operator, left, right);
  if (left instanceof Date && right instanceof Date) return holds(operator, left.getTime(), right.getTime());
  if (left instanceof Duration && right instanceof Duration) return holds(operator, left.ms, right.ms);
  throw mismatch(operator, left, right);
}

type Arithmetic = "+" | "-" | "*" | "/" | "%";

export function calculate(operator: Arithmetic, left: Value, right: Value, steps: StepBudget): Value {
  steps.spend(1);
  if (typeof left === "bigint" && typeof right === "bigint") return calculateInt(operator, left, right);
  if (typeof left === "number" && typeof right === "number" && operator !== "%") {
    return calculateDouble(operator, left, right);
  }
  if (operator === "+") {
    if (typeof left === "string" && typeof right === "string") {
      steps.spendText(left.length + right.length);
      return left + right;
    }
    if (isList(left) && isList(right)) {
      steps.spend(left.length + right.length);
      return [...left, ...right];
    }
    if (left instanceof Date && right instanceof Duration) return instant(left.getTime() + right.ms);
    if (left instanceof Duration && right instanceof Date) return instant(right.getTime() + left.ms);
    if (left instanceof Duration && right instanceof Duration) return duration(left.ms + right.ms);
  }
  if (operator === "-") {
    if (left instanceof Date && right instanceof Date) return duration(left.getTime() - right.getTime());
    if (left instanceof Date && right instanceof Duration) return instant(left.getTime() - right.ms);
    if (left instanceof Duration && right instanceof Duration) return duration(left.ms - right.ms);
  }
  throw mismatch(operator, left, right);
}

function calculateInt(operator: Arithmetic, left: bigint, right: bigint): bigint {
  if (operator === "+") return int64(left + right);
  if (operator === "-") return int64(left - right);
  if (operator === "*") return int64(left * right);
  if (right === 0n) throw new Failure("division_by_zero", "Division by zero.");
  return int64(operator === "/" ? left / right : left % right);
}

function calculateDouble(operator: Exclude<Arithmetic, "%">, left: number, right: number): number {
  if (operator === "+") return left + right;
  if (operator === "-") return left - right;
  return operator === "*" ? left * right : left / right;
}

export function negate(value: Value): Value {
  if (typeof value === "bigint") return int64(-value);
  if (typeof value === "number") return -value;
  throw new Failure("type_mismatch", `There is no -${typeOf(value)}.`);
}

/** Returns the list item at an index, or the map value for a key. */
export function at(collection: Value, key: Value): Value {
  if (isList(collection)) {
    const index = typeof key === "bigint" ? Number(key) : key;
    const item = typeof index === "number" ? collection[index] : undefined;
    if (item !== undefined) return item;
    throw new Failure("out_of_range", `The list has no item ${String(key)}.`);
  }
  if (!isObject(collection) || typeof key !== "string") {
    throw new Failure("type_mismatch", `There is no ${typeOf(collection)}[${typeOf(key)}].`);
  }
  const member = Object.hasOwn(collection, key) ? collection[key] : undefined;
  if (member !== undefined) return member;
  throw new Failure("no_such_member", `There is no member ${key.slice(0, 50).toWellFormed()}.`);
}

/** @throws Failure if a value is not a bool */
export function bool(value: Value): boolean {
  if (typeof value === "boolean") return value;
  throw new Failure("type_mismatch", `A value of type ${typeOf(value)} is not a bool.`);
}

/** Returns the items of a list, or the keys of a map. */
export function itemsOf(value: Value): readonly Value[] {
  if (isList(value)) return value;
  if (isObject(value)) return Object.keys(value);
  throw new Failure("type_mismatch", `A value of type ${typeOf(value)} is neither a list nor a map.`);
}
