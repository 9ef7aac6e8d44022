import type { Json } from "./document-text";
import { alternativesOf, type JsonSchema, partOf } from "./json-schema";

/** Types of situations that the gateway itself raises. */
export const RAISED: readonly string[] = ["message.received", "conversation.released", "message.failed"];

/** A kind of name that can be renamed. */
export interface NameKind {
  /** The value of `names` in the JSON Schema. */
  kind: string;
  label: string;
  /** The part of the document that declares the names. */
  part: string;
  /** Names that are taken even if the document does not declare them. */
  reserved: readonly string[];
  /** The error for an invalid name; describes the valid names. */
  expected: string;
}

const EXPECTED = "Use a-z and 0-9, with single . _ - between them";

export const NAME_KINDS: readonly NameKind[] = [
  { kind: "template-name", label: "Template", part: "templates", reserved: [], expected: `${EXPECTED}.` },
  {
    kind: "situation-type",
    label: "Situation",
    part: "situations",
    reserved: RAISED,
    expected: `${EXPECTED}, and start with a letter.`,
  },
];

/** Returns the names that a document declares, in order. */
export function declaredNames(document: Json, { part }: NameKind): string[] {
  const declared = document[part];
  return typeof declared === "object" && declared !== null && !Array.isArray(declared)
    ? Object.keys(declared)
    : [];
}

/** Returns the reason why a document cannot use a new name; undefined if it can. */
export function nameProblem(
  document: Json,
  schema: JsonSchema,
  kind: NameKind,
  name: string,
): string | undefined {
  const { pattern = "", maxLength = 0 } = schema.properties?.[kind.part]?.propertyNames ?? {};
  if (!new RegExp(pattern).test(name)) return kind.expected;
  if (name.length > maxLength) return `Use at most ${maxLength} characters.`;
  return [...declaredNames(document, kind), ...kind.reserved].includes(name)
    ? `The name “${name}” is taken.`
    : undefined;
}

/** The strings and brackets of JSON; a string before a colon is the name of a member. */
const TOKENS = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g;

/**
 * Renames a name wherever a document declares or uses it, and keeps the text's line breaks. The JSON Schema defines
 * where names are used. Conditions and texts can also compare `situation.type` with a situation's name.
 * @param text valid JSON
 * @returns the new text, and the number of uses besides the declaration
 */
export function renameUses(
  text: string,
  schema: JsonSchema,
  kind: string,
  from: string,
  to: string,
): { text: string; uses: number } {
  /** The schemas of the enclosing objects and lists, innermost last. */
  const containers: (readonly JsonSchema[])[] = [];
  const partsOf = (segment: string | number): readonly JsonSchema[] =>
    (containers.at(-1) ?? []).flatMap((each) => partOf(each, segment)).flatMap(alternativesOf);
  const isName = (each: JsonSchema | undefined) => each?.names === kind;
  const literal = new RegExp(`(["'])${escaped(from)}\\1`, "g");
  let value: readonly JsonSchema[] = [schema];
  let uses = 0;
  /** Returns a string with the new name; undefined if it does not use the old one. */
  const renamed = (string: string): string | undefined => {
    if (value.some(isName)) return string === from ? to : undefined;
    const isSource = kind === "situation-type" && string.includes("situation.type");
    return isSource && string.search(literal) !== -1 ? string.replace(literal, `$1${to}$1`) : undefined;
  };
  const next = text.replace(TOKENS, (token: string, colon: string | undefined) => {
    if (colon !== undefined) {
      const name: string = JSON.parse(token.slice(0, -colon.length));
      value = partsOf(name);
      const isDeclared = name === from && containers.at(-1)?.some((each) => isName(each.propertyNames));
      return isDeclared ? JSON.stringify(to) + colon : token;
    }
    const after = token.startsWith('"') ? renamed(JSON.parse(token)) : undefined;
    if (token === "{" || token === "[") containers.push(value);
    if (token === "}" || token === "]") containers.pop();
    // The next value is in a list, unless a member's name precedes it.
    value = partsOf(0);
    if (after === undefined) return token;
    uses += 1;
    return JSON.stringify(after);
  });
  return { text: next, uses };
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
