import { instantOf } from "../../../common/instant";
import type { InputProblem } from "../../../errors";
import { MAX_DATA_ITEMS, SITUATION_MAX_BYTES, SITUATION_MAX_DEPTH } from "../configuration.limits";
import type { LaterDocument } from "./effect-format";
import type { Value } from "./value";

/** The types that a configuration can declare for situation data; `?` makes a type optional. */
const BASE_TYPES = ["string", "int", "double", "bool", "timestamp", "list<string>"] as const;

export type BaseType = (typeof BASE_TYPES)[number];
export type DataType = BaseType | `${BaseType}?`;

export const DATA_TYPES: readonly DataType[] = BASE_TYPES.flatMap((type) => [type, `${type}?` as const]);

/** A declared situation's data: the type of each member. */
export type DataDeclaration = Readonly<Record<string, DataType>>;

/** Returns a data type's base type, and true if the type is optional. */
export const parseDataType = (type: DataType): { base: BaseType; isOptional: boolean } => ({
  base: type.replace("?", "") as BaseType,
  isOptional: type.endsWith("?"),
});

/** A situation's data in two forms: for conditions and for templates. */
export interface ReadData {
  forConditions: Record<string, Value>;
  forTemplates: Record<string, Value>;
}

/** Convert a value of each type to its forms for conditions and templates; undefined for other values. */
const READERS: Readonly<
  Record<BaseType, (value: unknown) => [condition: Value, template: Value] | undefined>
> = {
  string: (value) => (typeof value === "string" ? [value, value] : undefined),
  int: (value) => (Number.isSafeInteger(value) ? [BigInt(value as number), value as number] : undefined),
  double: (value) => (typeof value === "number" ? [value, value] : undefined),
  bool: (value) => (typeof value === "boolean" ? [value, value] : undefined),
  timestamp: (value) => {
    const instant = typeof value === "string" ? instantOf(value) : undefined;
    return instant && [instant, instant.toISOString()];
  },
  "list<string>": (value) =>
    Array.isArray(value) && value.every((item) => typeof item === "string") ? [value, value] : undefined,
};

const EXPECTED: Readonly<Record<BaseType, string>> = {
  string: "a string",
  int: "a whole number",
  double: "a number",
  bool: "true or false",
  timestamp: "a time such as 2026-01-31T12:00:00Z",
  "list<string>": "a list of strings",
};

/** Returns a value's forms for conditions and templates or, if the value does not have the type, the problem. */
function readValue(type: DataType, value: unknown): [condition: Value, template: Value] | string {
  const { base, isOptional } = parseDataType(type);
  if (value == null) return isOptional ? [null, null] : "is required";
  return READERS[base](value) ?? `must be ${EXPECTED[base]}`;
}

/** Converts text to a type; other text is returned unchanged, for type checking to report. */
function fromText(text: string, type: DataType): unknown {
  const { base, isOptional } = parseDataType(type);
  if (text === "" && isOptional) return null;
  if (base === "bool" && (text === "true" || text === "false")) return text === "true";
  const isNumber = (base === "int" || base === "double") && /^-?\d+(\.\d+)?$/.test(text);
  return isNumber ? Number(text) : text;
}

/** Renders the strings in a timer's data, and converts the data to its declared types. */
export const timerData = (
  data: NonNullable<LaterDocument["data"]>,
  declared: DataDeclaration | undefined,
  render: (source: string) => string,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      if (Array.isArray(value)) return [name, value.map(render)];
      if (typeof value !== "string") return [name, value];
      const type = declared !== undefined && Object.hasOwn(declared, name) ? declared[name] : undefined;
      return [name, type === undefined ? render(value) : fromText(render(value), type)];
    }),
  );

/**
 * Reads a situation's data for conditions and templates, or returns problems with paths in the data.
 * @param declaration undefined for an undeclared situation, whose data may be any JSON
 */
export function readData(
  declaration: DataDeclaration | undefined,
  data: Readonly<Record<string, unknown>>,
): ReadData | InputProblem[] {
  const outOfBounds = jsonProblems(data);
  if (outOfBounds.length > 0) return outOfBounds;
  if (!declaration) {
    const any = data as Record<string, Value>;
    return { forConditions: any, forTemplates: any };
  }
  const { forConditions, forTemplates }: ReadData = { forConditions: {}, forTemplates: {} };
  const problems = Object.keys(data)
    .filter((name) => !Object.hasOwn(declaration, name))
    .map((name) => ({ path: name, message: "is not declared by the configuration" }));
  for (const [name, type] of Object.entries(declaration)) {
    const value = Object.hasOwn(data, name) ? data[name] : undefined;
    const read = readValue(type, value);
    if (typeof read === "string") problems.push({ path: name, message: read });
    else [forConditions[name], forTemplates[name]] = read;
  }
  return problems.length > 0 ? problems : { forConditions, forTemplates };
}

/** Finds data that is too large or that conditions and templates cannot represent exactly. */
function jsonProblems(data: Readonly<Record<string, unknown>>): InputProblem[] {
  if (isDeeperThan(data, SITUATION_MAX_DEPTH)) {
    return [{ path: "", message: `must be nested at most ${SITUATION_MAX_DEPTH} levels deep` }];
  }
  if (Buffer.byteLength(JSON.stringify(data)) > SITUATION_MAX_BYTES) {
    return [{ path: "", message: `must have at most ${SITUATION_MAX_BYTES} bytes as JSON` }];
  }
  const problems: InputProblem[] = [];
  const visit = (path: string, value: unknown) => {
    if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)) {
      problems.push({ path, message: "must be between -(2^53 - 1) and 2^53 - 1" });
    }
    if (typeof value === "string" && (value.includes("\0") || !value.isWellFormed())) {
      problems.push({ path, message: "must be well-formed Unicode without the NUL character" });
    }
    if (Array.isArray(value) && value.length > MAX_DATA_ITEMS) {
      problems.push({ path, message: `must have at most ${MAX_DATA_ITEMS} items` });
    }
    if (typeof value !== "object" || value === null) return;
    for (const [name, member] of Object.entries(value)) visit(path ? `${path}.${name}` : name, member);
  };
  visit("", data);
  return problems;
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((member) => isDeeperThan(member, depth - 1));
}
