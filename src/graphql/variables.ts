import type { ApolloServerPlugin } from "@apollo/server";
import {
  coerceInputValue,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  typeFromAST,
} from "graphql";
import type { RequestContext } from "../context";
import { type InputProblem, InvalidInput } from "../errors";

const MOST_PROBLEMS = 10;
const LONGEST_PROBLEM = 200;

/**
 * Refuses variables that do not fit their types, by path, before GraphQL does: its own message would repeat the
 * value and all that stands around it, such as a password.
 */
export const refuseUnfitVariables: ApolloServerPlugin<RequestContext> = {
  async requestDidStart() {
    return {
      async didResolveOperation({ operation, request, schema }) {
        const problems: InputProblem[] = [];
        const values = request.variables ?? {};
        for (const { variable, type: node } of operation?.variableDefinitions ?? []) {
          const name = variable.name.value;
          const type = typeFromAST(schema, node as never) as GraphQLInputType | undefined;
          if (type === undefined || !Object.hasOwn(values, name)) continue;
          coerceInputValue(values[name], type, (path, _, { message }) => {
            const problem = problemWith(typeAt(type, path)) ?? message;
            problems.push({ path: [name, ...path].join("."), problem: problem.slice(0, LONGEST_PROBLEM) });
          });
        }
        if (problems.length > 0) throw new InvalidInput(problems.slice(0, MOST_PROBLEMS));
      },
    };
  },
};

/** What a leaf must be; undefined for the other types, whose messages name fields and no values. */
function problemWith(type: GraphQLInputType): string | undefined {
  if (isEnumType(type))
    return `must be one of ${type
      .getValues()
      .map(({ name }) => name)
      .join(", ")}`;
  return isLeafType(type) ? `must be of the type ${type.name}` : undefined;
}

function typeAt(type: GraphQLInputType, path: readonly (string | number)[]): GraphQLInputType {
  const [step, ...rest] = path;
  const nullable = getNullableType(type);
  if (step === undefined) return nullable;
  if (isListType(nullable)) return typeAt(nullable.ofType, typeof step === "number" ? rest : path);
  const field = isInputObjectType(nullable) ? nullable.getFields()[step] : undefined;
  return field === undefined ? nullable : typeAt(field.type, rest);
}
