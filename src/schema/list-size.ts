import {
  type FieldNode,
  type GraphQLField,
  GraphQLString,
  getNamedType,
  getNullableType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
} from "graphql";
import { Extensions } from "type-graphql";
import { type JsonSchemaRule, ruleOf } from "../common/json-schema";
import { DEFAULT_PAGE, MAX_PAGE } from "../pagination/connection";

type Field = GraphQLField<unknown, unknown>;

/** Declares the max length of a list without the argument `first`. */
export const AtMost = (items: number | (() => number)): MethodDecorator & PropertyDecorator =>
  Extensions({ items });

/** Declares the max length of a string that may be longer than `ASSUMED_TEXT_LENGTH`. */
export const MaxCharacters = (characters: number): MethodDecorator & PropertyDecorator =>
  Extensions({ characters });

/** The max size of a response or of a value within it. */
export interface Size {
  /** Number of objects, lists and leaves. */
  values: number;
  /** Number of characters in the JSON, with the selected names or aliases and strings of max length. */
  characters: number;
}

/** Declares the max size of an object whose fields cannot all have their max size together. */
export const AtMostInAll = (size: Size): MethodDecorator & PropertyDecorator => Extensions({ size });

/** Returns the size that a field declares with `@AtMostInAll`; undefined if it declares none. */
export const declaredSizeOf = (field: Field | undefined): Size | undefined =>
  field?.extensions.size as Size | undefined;

/** Returns the size of a selection: the smaller of the field's declared size and the estimated size. */
export function sizeAtMost(field: Field | undefined, estimated: Size): Size {
  const declared = declaredSizeOf(field);
  if (declared === undefined) return estimated;
  return {
    values: Math.min(declared.values, estimated.values),
    characters: Math.min(declared.characters, estimated.characters),
  };
}

/** Assumed length of a list that declares no length. */
const ASSUMED_ITEMS = DEFAULT_PAGE;
/** Assumed length of an introspection list, roughly the average. */
const ASSUMED_ITEMS_OF_INTROSPECTION = 5;
/** Assumed max length of a string that declares none: that of e-mail addresses, the longest of the short strings. */
export const ASSUMED_TEXT_LENGTH = 254;
/** Assumed max length of any other leaf: IDs, numbers, times and enum values. */
const OTHER_LEAF_LENGTH = 40;

/**
 * Returns the page size of a field from its argument `first`; undefined for a field without that argument.
 * @param operation declares the variables; undefined for a standalone fragment
 * @param variables values of the request; without them, a variable is assumed to be `MAX_PAGE`
 */
export function pageSize(
  field: Field | undefined,
  node: FieldNode,
  operation: OperationDefinitionNode | undefined,
  variables: Readonly<Record<string, unknown>> | undefined,
): number | undefined {
  const argument = field?.args.find(({ name }) => name === "first");
  if (argument === undefined) return undefined;
  const given = node.arguments?.find(({ name }) => name.value === "first")?.value;
  if (given === undefined) return inRange(argument.defaultValue);
  if (given.kind !== Kind.VARIABLE) return inRange(literal(given));
  if (variables === undefined) return MAX_PAGE;
  const name = given.name.value;
  if (Object.hasOwn(variables, name)) return inRange(variables[name]);
  const definition = operation?.variableDefinitions?.find(({ variable }) => variable.name.value === name);
  return inRange(definition?.defaultValue ? literal(definition.defaultValue) : argument.defaultValue);
}

/** Returns the max number of items; `page` is the page size of the field or, if it has none, of its parent. */
export function itemsOf(field: Field | undefined, parent: string, page: number | undefined): number {
  if (field === undefined || !isListType(getNullableType(field.type))) return 1;
  const { items } = field.extensions;
  if (typeof items === "number") return items;
  if (typeof items === "function") return items();
  return page ?? (parent.startsWith("__") ? ASSUMED_ITEMS_OF_INTROSPECTION : ASSUMED_ITEMS);
}

/** Returns the bounds of a field's strings and lists; strings beyond the assumed length must declare theirs. */
export function boundsOf(field: Field | undefined): JsonSchemaRule {
  if (field === undefined) return {};
  const { items } = field.extensions;
  return {
    ...(getNamedType(field.type) === GraphQLString && { maxLength: charactersOf(field) }),
    ...(isListType(getNullableType(field.type)) &&
      items !== undefined && { maxItems: itemsOf(field, "", undefined) }),
    ...ruleOf(field),
  };
}

/** Returns the max characters of a leaf. */
export function charactersOf(field: Field | undefined): number {
  const declared = field?.extensions.characters;
  if (typeof declared === "number") return declared;
  return field && getNamedType(field.type) === GraphQLString ? ASSUMED_TEXT_LENGTH : OTHER_LEAF_LENGTH;
}

const literal = (node: ValueNode): unknown => (node.kind === Kind.INT ? Number(node.value) : null);

/** Returns 0 for an out-of-range size, because such a size is rejected later. */
const inRange = (first: unknown): number => {
  const size = first === null || first === undefined ? DEFAULT_PAGE : Number(first);
  return size >= 0 && size <= MAX_PAGE ? size : 0;
};
