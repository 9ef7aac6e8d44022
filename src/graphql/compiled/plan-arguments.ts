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

/**
 * Gives a field's arguments for the variables of a run.
 * @throws GraphQLError when an argument that must not be null is null or missing
 */
export type ReadArguments = (variables: Readonly<Record<string, unknown>>) => Record<string, unknown>;

type ReadArgument = (variables: Readonly<Record<string, unknown>>) => unknown;

/** Prepares what reads the arguments of one field of a valid document (6.4.1 of the specification). */
export function readArguments(field: GraphQLField<unknown, unknown>, node: FieldNode): ReadArguments {
  const readers = field.args.map((arg) => {
    const given = node.arguments?.find(({ name }) => name.value === arg.name);
    return { name: arg.name, read: readerOf(arg, given) };
  });
  return (variables) => {
    const values: Record<string, unknown> = {};
    for (const { name, read } of readers) {
      const value = read(variables);
      // What was not given and has no default is left out.
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
  // Leaves cannot be changed by a resolver, so that one value serves all runs.
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
