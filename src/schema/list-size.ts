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
import { DEFAULT_PAGE, MAX_PAGE } from "../pagination/connection";

type Field = GraphQLField<unknown, unknown>;

/** Declares how many items a list has at most that does not take `first`. */
export const AtMost = (items: number): MethodDecorator & PropertyDecorator => Extensions({ items });

/** Declares how many characters a text has at most, where it may be longer than `ASSUMED_TEXT_LENGTH`. */
export const MaxCharacters = (characters: number): MethodDecorator & PropertyDecorator =>
  Extensions({ characters });

/** Items of a list that declares no length. */
const ASSUMED_ITEMS = DEFAULT_PAGE;
/** Items of a list of introspection, about its average. */
const ASSUMED_ITEMS_OF_INTROSPECTION = 5;
/** Characters of a text that declares no length: an e-mail address, the longest of the short texts. */
export const ASSUMED_TEXT_LENGTH = 254;
/** Characters of every other leaf: ids, numbers, times and names of enum values. */
const OTHER_LEAF_LENGTH = 40;

/**
 * How many items the lists right below a field have, by its argument `first`; undefined for a field without it.
 * @param operation whose variables the argument may be, undefined for a fragment by itself
 * @param variables of a request; when left out, a variable counts as the largest page
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

/** How many items a field has: 1 unless it is a list. @param page of the field around it */
export function itemsOf(field: Field | undefined, parent: string, page: number | undefined): number {
  if (field === undefined || !isListType(getNullableType(field.type))) return 1;
  const { items } = field.extensions;
  if (typeof items === "number") return items;
  return page ?? (parent.startsWith("__") ? ASSUMED_ITEMS_OF_INTROSPECTION : ASSUMED_ITEMS);
}

/** How many characters a leaf has at most. */
export function charactersOf(field: Field | undefined): number {
  const declared = field?.extensions.characters;
  if (typeof declared === "number") return declared;
  return field && getNamedType(field.type) === GraphQLString ? ASSUMED_TEXT_LENGTH : OTHER_LEAF_LENGTH;
}

const literal = (node: ValueNode): unknown => (node.kind === Kind.INT ? Number(node.value) : null);

/** A size out of range is rejected later on, and costs nothing until then. */
const inRange = (first: unknown): number => {
  const size = first === null || first === undefined ? DEFAULT_PAGE : Number(first);
  return size >= 0 && size <= MAX_PAGE ? size : 0;
};
