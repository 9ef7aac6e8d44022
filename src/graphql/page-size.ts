import {
  type FieldNode,
  type GraphQLField,
  getNullableType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
} from "graphql";
import { Extensions } from "type-graphql";
import { DEFAULT_PAGE, MAX_PAGE } from "./connection";
import type { Cost } from "./cost";

type Field = GraphQLField<unknown, unknown>;

/** Declares how many items a list has at most that does not take `first`. */
export const AtMost = (items: number): MethodDecorator & PropertyDecorator => Extensions({ items });

/** Items of a list that says nothing of its length. */
const ASSUMED = DEFAULT_PAGE;
/** Items of a list of introspection, about its average. */
const ASSUMED_OF_INTROSPECTION = 5;

/**
 * How many items the lists right below a field have, by its argument `first`; undefined for a field that has none.
 * @param operation whose variables the argument may be, undefined for a fragment by itself
 */
export function pageSize(
  field: Field | undefined,
  node: FieldNode,
  operation: OperationDefinitionNode | undefined,
): Cost | undefined {
  const argument = field?.args.find(({ name }) => name === "first");
  if (argument === undefined) return undefined;
  const given = node.arguments?.find(({ name }) => name.value === "first")?.value;
  if (given === undefined) return inRange(argument.defaultValue);
  if (given.kind !== Kind.VARIABLE) return inRange(literal(given));
  const name = given.name.value;
  const definition = operation?.variableDefinitions?.find(({ variable }) => variable.name.value === name);
  const unset = definition?.defaultValue ? literal(definition.defaultValue) : argument.defaultValue;
  return {
    most: MAX_PAGE,
    with: (variables) => inRange(Object.hasOwn(variables, name) ? variables[name] : unset),
  };
}

/** How many items a field has: 1 unless it is a list. @param page of the field around it */
export function itemsOf(field: Field | undefined, parent: string, page: Cost | undefined): Cost {
  if (field === undefined || !isListType(getNullableType(field.type))) return 1;
  const { items } = field.extensions;
  if (typeof items === "number") return items;
  return page ?? (parent.startsWith("__") ? ASSUMED_OF_INTROSPECTION : ASSUMED);
}

const literal = (node: ValueNode): unknown => (node.kind === Kind.INT ? Number(node.value) : null);

/** What is out of range is refused later on, and costs nothing until then. */
const inRange = (first: unknown): number => {
  const size = first === null || first === undefined ? DEFAULT_PAGE : Number(first);
  return size >= 0 && size <= MAX_PAGE ? size : 0;
};
