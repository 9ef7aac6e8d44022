import type { ApolloServerPlugin } from "@apollo/server";
import {
  type DocumentNode,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  type OperationDefinitionNode,
  separateOperations,
  TypeInfo,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from "graphql";
import type { RequestContext } from "../../auth/context";
import { excerpt } from "../../credentials/redact-tokens";
import { type InputProblem, InvalidInput, MAX_PROBLEMS } from "../../errors";
import { addRuleProblems } from "../../schema/object-rule";
import { oneOfRule } from "../../schema/one-of";

/** Max length of a client's name in a message (characters). */
const NAME_MAX_LENGTH = 100;

/** Rejects variables of the wrong type before graphql-js does, which would quote values such as passwords. */
export const rejectInvalidVariables: ApolloServerPlugin<RequestContext> = {
  async requestDidStart() {
    return {
      async didResolveOperation({ document, operation, request, schema }) {
        if (operation) assertVariables(schema, document, operation, request.variables ?? {});
      },
    };
  },
};

/** @throws InvalidInput with the variables of the wrong type */
export function assertVariables(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  values: Readonly<Record<string, unknown>>,
): void {
  const problems: InputProblem[] = [];
  for (const { variable, type: node, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    const type = typeFromAST(schema, node as never) as GraphQLInputType | undefined;
    const given = Object.hasOwn(values, name);
    if (type !== undefined && (given || defaultValue === undefined))
      addProblems(given ? values[name] : undefined, type, name, problems, defaultValue !== undefined);
  }
  if (problems.length === 0) addProblemsOfNulls(schema, document, operation, values, problems);
  if (problems.length > 0) throw new InvalidInput(problems);
}

/**
 * Adds problems for null variables where null is not allowed: a nullable variable with a default value may be used
 * in such places, and graphql-js does not find all such nulls within `@oneOf`. Nodes with directives are not checked,
 * because they may be skipped.
 */
function addProblemsOfNulls(
  schema: GraphQLSchema,
  document: DocumentNode,
  { name, variableDefinitions = [] }: OperationDefinitionNode,
  values: Readonly<Record<string, unknown>>,
  problems: InputProblem[],
): void {
  const isGiven = (name: string) => Object.hasOwn(values, name);
  const nulls = new Set<string>();
  for (const { variable, type, defaultValue } of variableDefinitions) {
    const { value: name } = variable.name;
    const isNull = isGiven(name) ? values[name] == null : defaultValue === undefined;
    if (isNull && type.kind !== Kind.NON_NULL_TYPE) nulls.add(name);
  }
  if (nulls.size === 0) return;
  const info = new TypeInfo(schema);
  const visitor = visitWithTypeInfo(info, {
    enter: (node) => ("directives" in node && node.directives?.length ? false : undefined),
    VariableDefinition: () => false,
    Variable({ name: { value: path } }) {
      const parent = getNullableType(info.getParentInputType());
      const isOneOf = isInputObjectType(parent) && parent.isOneOf;
      // Rejects only a given null: if the variable is omitted, the argument gets its default value.
      const isRejected = isOneOf || (isNonNullType(info.getInputType()) && isGiven(path));
      // Reports each variable only once.
      if (isRejected && nulls.delete(path) && problems.length < MAX_PROBLEMS)
        problems.push({ path, message: "must not be null" });
    },
  });
  visit(separateOperations(document)[name?.value ?? ""] ?? document, visitor);
}

/** Adds problems for a value of the wrong type, up to `MAX_PROBLEMS`; an `isOmissible` value must not be null. */
function addProblems(
  value: unknown,
  type: GraphQLInputType,
  path: string,
  problems: InputProblem[],
  isOmissible = false,
): void {
  if (problems.length >= MAX_PROBLEMS) return;
  const add = (message: string) => void problems.push({ path, message });
  if (isNonNullType(type)) {
    if (value == null) add(isOmissible ? "must not be null" : "is required");
    else addProblems(value, type.ofType, path, problems);
  } else if (value == null) {
    return;
  } else if (isListType(type)) {
    // GraphQL accepts a single item in place of a list.
    const items = Array.isArray(value) ? value : [value];
    for (const [i, item] of items.entries()) {
      if (problems.length >= MAX_PROBLEMS) return;
      addProblems(item, type.ofType, Array.isArray(value) ? `${path}.${i}` : path, problems, true);
    }
  } else if (!isInputObjectType(type)) {
    if (!isOf(type, value)) add(mustBe(type, value));
  } else if (typeof value !== "object" || Array.isArray(value)) {
    add("must be an object");
  } else {
    addProblemsOfFields(value as Record<string, unknown>, type, path, problems);
  }
}

function addProblemsOfFields(
  value: Record<string, unknown>,
  type: GraphQLInputObjectType,
  path: string,
  problems: InputProblem[],
): void {
  const fields = type.getFields();
  for (const name of Object.keys(value)) {
    if (problems.length >= MAX_PROBLEMS) return;
    if (!Object.hasOwn(fields, name)) {
      problems.push({ path: `${path}.${excerpt(name, NAME_MAX_LENGTH)}`, message: "is not known" });
    }
  }
  for (const field of Object.values(fields)) {
    const given = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
    const left = given === undefined && !isRequiredInputField(field);
    const hasDefault = field.defaultValue !== undefined;
    if (!left) addProblems(given, field.type, `${path}.${field.name}`, problems, hasDefault);
  }
  if (type.isOneOf) addRuleProblems([oneOfRule(type)], value, path, problems);
}

function isOf(type: GraphQLLeafType, value: unknown): boolean {
  try {
    return type.parseValue(value) !== undefined;
  } catch {
    return false;
  }
}

function mustBe(type: GraphQLLeafType, value: unknown): string {
  if (isEnumType(type)) {
    const names = type.getValues().map(({ name }) => name);
    return `must be one of ${names.join(", ")}`;
  }
  if (type.name === "ID" && typeof value === "bigint") {
    return "must be a string, because many JSON parsers round integers beyond 2^53";
  }
  return `must be of the type ${type.name}`;
}
