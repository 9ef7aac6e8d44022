import {
  coerceInputValue,
  type GraphQLInputType,
  type GraphQLSchema,
  getVariableValues,
  isNonNullType,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from "graphql";

type Variables = Readonly<Record<string, unknown>>;

/** Coerces the variables of a run (specification, 6.1.2), with the same result as `getVariableValues`. */
export type CoerceVariables = (given: Variables) => ReturnType<typeof getVariableValues>;

/** Compiles the variable coercion of a valid operation, so that its types are looked up only once. */
export function variableCoercion(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
): CoerceVariables {
  const variables = definitions.map(({ variable, type, defaultValue }) => ({
    name: variable.name.value,
    type: typeFromAST(schema, type as never) as GraphQLInputType,
    defaultValue,
  }));
  return (given) => {
    const coerced: Record<string, unknown> = {};
    try {
      for (const { name, type, defaultValue } of variables) {
        if (Object.hasOwn(given, name)) coerced[name] = coerceInputValue(given[name], type);
        else if (defaultValue !== undefined) coerced[name] = valueFromAST(defaultValue, type);
        else if (isNonNullType(type)) throw new Error(`$${name} is required.`);
      }
      return { coerced };
    } catch {
      // The errors from `getVariableValues` name each invalid variable.
      return getVariableValues(schema, definitions, given);
    }
  };
}
