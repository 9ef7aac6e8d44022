import { READ_MAX_LENGTH } from "../configuration.limits";

/** A duration, as used in conditions. */
export class Duration {
  constructor(readonly ms: number) {}
}

/** A value in conditions (integers are bigints) and templates (numbers); only own members can be read. */
export type Value =
  | string
  | number
  | bigint
  | boolean
  | null
  | Date
  | Duration
  | readonly Value[]
  | { readonly [member: string]: Value };

export type ObjectValue = { readonly [member: string]: Value };

export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

export const isObject = (value: Value): value is ObjectValue =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Date) &&
  !(value instanceof Duration);

/** A value read by a condition, as shown in the explanation. */
export interface Read {
  path: string;
  value: unknown;
  /** True if the value is truncated text, or an omitted list or object. */
  isCut?: true;
}

/** Converts a value to JSON of limited size. */
export function readOf(path: string, value: Value): Read {
  if (typeof value === "bigint") return { path, value: Number(value) };
  if (value instanceof Date) return { path, value: value.toISOString() };
  if (typeof value === "string" && value.length > READ_MAX_LENGTH) {
    return { path, value: value.slice(0, READ_MAX_LENGTH).toWellFormed(), isCut: true };
  }
  if (typeof value === "object" && value !== null && JSON.stringify(jsonOf(value)).length > READ_MAX_LENGTH) {
    return { path, value: null, isCut: true };
  }
  return { path, value: jsonOf(value) };
}

function jsonOf(value: Value): unknown {
  if (typeof value === "bigint") return Number(value);
  if (isList(value)) return value.map(jsonOf);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, jsonOf(member)]));
}
