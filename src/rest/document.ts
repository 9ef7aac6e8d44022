import {
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type OperationTypeNode,
  parse,
  type SelectionNode,
  type SelectionSetNode,
  TypeInfo,
  typeFromAST,
  validate,
  valueFromAST,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { declaredType } from "../schema/nullable-root-fields";

/** The fixed document of a route, with its single root field. */
export interface FixedDocument {
  document: DocumentNode;
  operation: OperationDefinitionNode;
  /** The root type: Query, Mutation or Subscription. */
  root: GraphQLObjectType;
  /** The root field, which declares the required access. */
  field: GraphQLField<unknown, unknown>;
  variables: ReadonlyMap<string, Variable>;
}

export interface Variable {
  type: GraphQLInputType;
  /** The argument or input field that uses the variable, with its description and rules. */
  target: GraphQLArgument | GraphQLInputField | undefined;
  /** The path reported in problems with the target: an argument, then the fields within it. */
  path: string;
  default: unknown;
}

/**
 * Validates a route's document. Called only by a test, because startup would otherwise take a third longer.
 * @throws Error unless the document passes the rules of the GraphQL specification
 */
export function validateDocument(text: string, schema: GraphQLSchema): void {
  const [fault] = validate(schema, parse(text));
  if (fault) throw new Error(fault.message);
}

/**
 * Parses the document of a route, which passes `validateDocument`.
 * @throws Error unless it is one of the allowed operations, with one root field
 */
export function fixedDocument(
  text: string,
  schema: GraphQLSchema,
  operations: readonly `${OperationTypeNode}`[] = ["query", "mutation"],
): FixedDocument {
  const document = parse(text);
  const [operation, ...others] = document.definitions;
  if (
    operation?.kind !== Kind.OPERATION_DEFINITION ||
    !operations.includes(operation.operation) ||
    others.length > 0
  )
    throw new Error(`its document must be one ${operations.join(" or ")}`);
  const [node, ...more] = operation.selectionSet.selections;
  const root = schema.getRootType(operation.operation);
  const field = node?.kind === Kind.FIELD ? root?.getFields()[node.name.value] : undefined;
  if (!root || field === undefined || more.length > 0)
    throw new Error("its document must have exactly one root field");

  const targets = targetsOf(document, schema);
  const variables = (operation.variableDefinitions ?? []).map(
    ({ variable: { name }, type, defaultValue }): [string, Variable] => {
      const inputType = typeFromAST(schema, type as never) as GraphQLInputType;
      const { target, path = name.value } = targets.get(name.value) ?? {};
      const fallback = defaultValue && valueFromAST(defaultValue, inputType);
      return [name.value, { type: inputType, target, path, default: fallback ?? target?.defaultValue }];
    },
  );
  return { document, operation, root, field, variables: new Map(variables) };
}

/** Maps each variable to the argument or input field that uses it. */
function targetsOf(
  document: DocumentNode,
  schema: GraphQLSchema,
): Map<string, Pick<Variable, "target" | "path">> {
  const types = new TypeInfo(schema);
  const targets = new Map<string, Pick<Variable, "target" | "path">>();
  const around: (Pick<Variable, "target"> & { name: string })[] = [];
  visit(
    document,
    visitWithTypeInfo(types, {
      enter(node) {
        if (node.kind === Kind.ARGUMENT) {
          around.push({ name: node.name.value, target: types.getArgument() ?? undefined });
        } else if (node.kind === Kind.OBJECT_FIELD) {
          const name = node.name.value;
          const parent = getNamedType(types.getParentInputType());
          around.push({ name, target: isInputObjectType(parent) ? parent.getFields()[name] : undefined });
        } else if (node.kind === Kind.VARIABLE && around.length > 0) {
          const path = around.map(({ name }) => name).join(".");
          targets.set(node.name.value, { target: around.at(-1)?.target, path });
        }
      },
      leave({ kind }) {
        if (kind === Kind.ARGUMENT || kind === Kind.OBJECT_FIELD) around.pop();
      },
    }),
  );
  return targets;
}

/** Returns the field at a path of response keys, none for an empty path; throws an Error if it is not selected. */
export function selectedAt(
  root: GraphQLOutputType,
  selectionSet: SelectionSetNode,
  path: readonly string[],
): {
  field: GraphQLField<unknown, unknown> | undefined;
  type: GraphQLOutputType;
  selection: SelectionSetNode | undefined;
} {
  let found: GraphQLField<unknown, unknown> | undefined;
  let type = root;
  let selection: SelectionSetNode | undefined = selectionSet;
  for (const name of path) {
    const parent = getNamedType(type);
    const node: SelectionNode | undefined = selection?.selections.find(
      (each) => each.kind === Kind.FIELD && (each.alias ?? each.name).value === name,
    );
    const field =
      isObjectType(parent) && node?.kind === Kind.FIELD ? parent.getFields()[node.name.value] : undefined;
    if (field === undefined) throw new Error(`its document selects no ${path.join(".")}`);
    found = field;
    type = declaredType(field);
    selection = node?.kind === Kind.FIELD ? node.selectionSet : undefined;
  }
  return { field: found, type, selection };
}
