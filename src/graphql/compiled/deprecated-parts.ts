import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  type OperationDefinitionNode,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { deprecatedName } from "../../schema/deprecation";

/** Found once for each operation of a document. */
const known = new WeakMap<OperationDefinitionNode, readonly string[]>();

/**
 * Returns the names of the deprecated parts in an operation and its fragments; values of variables are not part of them.
 * @param document a valid document
 */
export function deprecatedParts(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): readonly string[] {
  const names = known.get(operation) ?? findParts(schema, document, operation);
  known.set(operation, names);
  return names;
}

function findParts(
  schema: GraphQLSchema,
  document: DocumentNode,
  { name }: OperationDefinitionNode,
): readonly string[] {
  const found = new Set<string>();
  const note = (part: Parameters<typeof deprecatedName>[0]) => {
    const deprecated = deprecatedName(part);
    if (deprecated !== undefined) found.add(deprecated);
  };
  const info = new TypeInfo(schema);
  const visitor = visitWithTypeInfo(info, {
    Field: () => note(info.getFieldDef()),
    Argument: () => note(info.getArgument()),
    EnumValue: () => note(info.getEnumValue()),
    ObjectField: (node) => {
      const type = getNamedType(info.getParentInputType());
      if (isInputObjectType(type)) note(type.getFields()[node.name.value]);
    },
  });
  visit(separateOperations(document)[name?.value ?? ""] ?? document, visitor);
  return [...found];
}
