import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from "graphql";
import { createSchema } from "../../src/graphql/schema";
import fc from "../support/generated";
import { int, junk, text } from "../support/hostile-values";

const schema = createSchema();

/** The state of a growing document: a source of randomness, and the declared variables. */
interface Growth {
  draw: fc.GeneratorValue;
  /** IDs of stored objects. */
  ids: readonly string[];
  /** Cursors from earlier responses. */
  cursors: readonly string[];
  declared: string[];
  variables: Record<string, unknown>;
}

const chance = ({ draw }: Growth, percent: number): boolean => draw(ofNat, 99) < percent;
const one = <T>({ draw }: Growth, of: readonly [T, ...T[]] | readonly T[]): T =>
  of[draw(ofNat, of.length - 1)] as T;

const ofJunk = () => junk;
const ofText = () => text;
const ofInt = () => int;
const ofEither = () => fc.oneof(text, junk);
const ofNat = (max: number) => fc.nat({ max });

/** Returns a value for a type, as JSON; sometimes it does not fit. */
function someValue(growth: Growth, type: GraphQLInputType): unknown {
  const { draw, ids } = growth;
  if (chance(growth, 2)) return draw(ofJunk);
  if (isNonNullType(type)) return someValue(growth, type.ofType);
  if (chance(growth, 3)) return null;
  if (isListType(type)) return [someValue(growth, type.ofType)];
  if (isEnumType(type))
    return one(
      growth,
      [...type.getValues().map(({ name }) => name), "lost"].slice(chance(growth, 90) ? 0 : -1),
    );
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(
      (field) => isNonNullType(field.type) || chance(growth, 50),
    );
    return Object.fromEntries(fields.map((field) => [field.name, someValue(growth, field.type)]));
  }
  switch (type.name) {
    case "Int":
      return chance(growth, 80) ? draw(fc.integer, { min: 1, max: 100 }) : Number(draw(ofInt));
    case "ID":
      return chance(growth, 50) ? one(growth, ids) : chance(growth, 50) ? String(draw(ofInt)) : draw(ofText);
    case "Boolean":
      return draw(fc.boolean);
    case "DateTimeISO":
      return chance(growth, 80) ? draw(fc.date, { noInvalidDate: true }).toISOString() : draw(ofText);
    default:
      // A string may be a cursor.
      return chance(growth, 40) ? one(growth, growth.cursors) : draw(ofText);
  }
}

/** Returns the literal for a document, or the variable for the value. */
function written(growth: Growth, type: GraphQLInputType): string {
  const value = someValue(growth, type);
  if (chance(growth, 40)) {
    const name = `v${growth.declared.length}`;
    growth.declared.push(`$${name}: ${type}`);
    if (!chance(growth, 2)) growth.variables[name] = value;
    return `$${name}`;
  }
  return literal(value, type);
}

function literal(value: unknown, type?: GraphQLInputType): string {
  const named = type && getNamedType(type);
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, type))}]`;
  if (typeof value === "object" && value !== null) {
    const fields = isInputObjectType(named) ? named.getFields() : {};
    return `{${Object.entries(value).map(([name, each]) => `${name}: ${literal(each, fields[name]?.type)}`)}}`;
  }
  return isEnumType(named) && typeof value === "string" && value !== ""
    ? value
    : (JSON.stringify(value) ?? "null");
}

function selectionOf(growth: Growth, type: GraphQLObjectType, depth: number): string {
  const fields = Object.values(type.getFields()).filter(
    (field) => depth < 4 || isLeafType(getNamedType(field.type)),
  );
  const parts = [];
  for (let i = growth.draw(ofNat, 3); i >= 0; i--) {
    const kind = growth.draw(ofNat, 19);
    if (kind === 0 && depth < 6) parts.push(`... on ${type.name} ${selectionOf(growth, type, depth + 1)}`);
    else if (kind === 1) parts.push("__typename");
    else if (fields.length > 0) parts.push(fieldText(growth, one(growth, fields), depth));
  }
  return `{ ${parts.length === 0 ? "__typename" : parts.join(" ")} }`;
}

function fieldText(growth: Growth, field: GraphQLField<unknown, unknown>, depth: number): string {
  const alias = chance(growth, 40) ? `a${growth.draw(ofNat, 99)}: ` : "";
  const given = field.args.filter((arg) => isNonNullType(arg.type) || chance(growth, 40));
  const args = given.map((arg) => `${arg.name}: ${written(growth, arg.type)}`).join(", ");
  const directive = chance(growth, 5)
    ? ` @${one(growth, ["skip", "include"])}(if: ${growth.draw(fc.boolean)})`
    : "";
  const type = getNamedType(field.type);
  const below = isObjectType(type) ? ` ${selectionOf(growth, type, depth + 1)}` : "";
  return `${alias}${field.name}${args && `(${args})`}${directive}${below}`;
}

/** Fields after which no caller could continue, because they end all sessions or disable all keys. */
const OFTEN_ENOUGH = [
  ...["deactivateOrganization", "signOut", "signOutEverywhere", "changePassword", "signIn"],
  ...["signInWithCookie", "acceptInvitation", "acceptInvitationWithCookie"],
];

type OperationKind = "query" | "mutation";

function operation(
  growth: Growth,
  kind: OperationKind = chance(growth, 70) ? "query" : "mutation",
  preferred: readonly string[] = [],
): string {
  const root = kind === "query" ? schema.getQueryType() : schema.getMutationType();
  const fields = Object.values(root?.getFields() ?? {}).filter(
    ({ name }) => !OFTEN_ENOUGH.includes(name) || chance(growth, 25),
  );
  const liked = fields.filter(({ name }) => preferred.includes(name));
  const parts = Array.from({ length: growth.draw(ofNat, 2) + 1 }, (_, i) => {
    const part = fieldText(growth, one(growth, liked.length > 0 && chance(growth, 75) ? liked : fields), 0);
    return chance(growth, 80) ? part.replace(/^(a\d+: )?/, `r${i}: `) : part;
  });
  const fragment = chance(growth, 15) ? parts.pop() : undefined;
  if (fragment) parts.push("...f");
  const declared = growth.declared.length > 0 ? ` (${growth.declared.join(", ")})` : "";
  const tail = fragment ? ` fragment f on ${root?.name} { ${fragment} }` : "";
  return `${kind}${chance(growth, 50) ? " Q" : ""}${declared} { ${parts.join(" ")} }${tail}`;
}

const PIECES = [
  ...["{", "}", "(", ")", "[", "]", ":", "$", "$v0", "@skip", "...", "... on Pet", '"', '"""', "!", "|", "&"],
  ...["\0", "\ufeff", "#", "\\", "null", "true", "-", "1e999", "9".repeat(400)],
  ...["fragment f on Query { ...f }", "__schema { types { name } }", "subscription", "extend type Query"],
  ...["\u202e", "🐕", "__proto__", "constructor"],
];

/** Returns the document with some part removed, duplicated, swapped or inserted. */
function damaged(growth: Growth, document: string): string {
  const { draw } = growth;
  const at = draw(ofNat, document.length);
  const end = Math.min(document.length, at + draw(ofNat, 20));
  const [head, middle, tail] = [document.slice(0, at), document.slice(at, end), document.slice(end)];
  return one(growth, [
    head + tail,
    head,
    head + middle + middle + tail,
    head + middle.repeat(50) + tail,
    head + one(growth, PIECES) + tail,
    tail + middle + head,
    head + draw(ofText) + tail,
    `${document} ${document}`,
  ]);
}

/** A body for the GraphQL API. */
export interface GraphQLBody {
  query: unknown;
  variables?: unknown;
  operationName?: unknown;
  extensions?: unknown;
}

/** Bodies with documents; most fit the schema, and some are damaged. */
export const graphqlBody = (ids: readonly string[], cursors: readonly string[]): fc.Arbitrary<GraphQLBody> =>
  fc.gen().map((draw) => {
    const growth: Growth = { draw, ids, cursors, declared: [], variables: {} };
    let query: unknown = operation(growth);
    for (let i = chance(growth, 18) ? draw(ofNat, 2) : -1; i >= 0; i--)
      query = damaged(growth, query as string);
    if (chance(growth, 2)) query = draw(ofJunk);
    const { variables } = growth;
    return {
      query,
      ...(chance(growth, 90) && { variables: chance(growth, 96) ? variables : draw(ofJunk) }),
      ...(chance(growth, 8) && { operationName: chance(growth, 50) ? "Q" : draw(ofEither) }),
      ...(chance(growth, 3) && { extensions: draw(ofJunk) }),
    };
  });

/**
 * Queries that fit the schema, with their variables.
 * @param preferred root fields that most of them select
 */
export const queryDocument = (
  ids: readonly string[],
  cursors: readonly string[],
  preferred: readonly string[],
): fc.Arbitrary<{ query: string; variables: Record<string, unknown> }> =>
  fc.gen().map((draw) => {
    const growth: Growth = { draw, ids, cursors, declared: [], variables: {} };
    return { query: operation(growth, "query", preferred), variables: growth.variables };
  });
