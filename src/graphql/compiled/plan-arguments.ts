import {
  type ArgumentNode,
  type FieldNode,
  type GraphQLArgument,
  GraphQLError,
  type GraphQLField,
  isLeafType,
  isNonNullType,
  Kind,
  type ValueNode,
  valueFromAST,
} from "graphql";

/** Returns a field's arguments for a run, or throws a GraphQLError if a non-null argument is null or missing. */
export type ReadArguments = (variables: Readonly<Record<string, unknown>>) => Record<string, unknown>;

type ReadArgument = (variables: Readonly<Record<string, unknown>>) => unknown;

/** Compiles the argument reader of a field in a valid document (specification, 6.4.1). */
export function readArguments(field: GraphQLField<unknown, unknown>, node: FieldNode): ReadArguments {
  const readers = field.args.map((arg) => {
    const given = node.arguments?.find(({ name }) => name.value === arg.name);
    return { name: arg.name, read: readerOf(arg, given) };
  });
  return (variables) => {
    const values: Record<string, unknown> = {};
    for (const { name, read } of readers) {
      const value = read(variables);
      // Omit arguments that have neither a value nor a default.
      if (value !== undefined) values[name] = value;
    }
    return values;
  };
}

function readerOf(arg: GraphQLArgument, given: ArgumentNode | undefined): ReadArgument {
  const { type, defaultValue } = arg;
  const required = (value: unknown) => {
    if (isNonNullType(type) && (value === null || value === undefined)) {
      throw new GraphQLError(`Argument "${arg.name}" of type "${type}" must not be null.`, { nodes: given });
    }
    return value;
  };
  if (given === undefined) return () => required(defaultValue);
  const { value: node } = given;
  if (node.kind === Kind.VARIABLE) {
    const name = node.name.value;
    return (variables) => required(Object.hasOwn(variables, name) ? variables[name] : defaultValue);
  }
  // Leaf values are immutable, so all runs share one.
  if (isLeafType(isNonNullType(type) ? type.ofType : type) && isScalarLiteral(node)) {
    const value = valid(valueFromAST(node, type), given);
    return () => value;
  }
  return (variables) => valid(valueFromAST(node, type, variables), given);
}

function isScalarLiteral({ kind }: ValueNode): boolean {
  return kind !== Kind.LIST && kind !== Kind.OBJECT;
}

function valid(value: unknown, { name, value: node }: ArgumentNode): unknown {
  if (value === undefined) throw new GraphQLError(`Argument "${name.value}" is invalid.`, { nodes: node });
  return value;
}
