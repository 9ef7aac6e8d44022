import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { type AccessRule, isAllowed } from "../../auth/authorize";
import type { Caller } from "../../auth/caller";
import { getOrCreate } from "../../common/get-or-create";
import { accessOf } from "../../schema/access";
import { deprecatedName } from "../../schema/deprecation";

/** The name of a deprecated part or of a fragment, with the access rules of the enclosing fields. */
interface Found {
  name: string;
  rules: readonly AccessRule[];
}

/** The deprecated parts and the fragments that a definition of a document uses. */
interface Uses {
  parts: Found[];
  fragments: Found[];
}

/** The uses of each definition, by fragment name or operation node; undefined if no part is deprecated. */
type UsesOf = ReadonlyMap<string | OperationDefinitionNode, Uses> | undefined;

/** The uses in each document; each document is analyzed only once. */
const known = new WeakMap<DocumentNode, { uses: UsesOf }>();

const NONE: readonly string[] = [];

/** Names the deprecated parts that an operation of a valid document uses and that the caller may access. */
export function deprecatedParts(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  caller: Caller,
): readonly string[] {
  const { uses } = getOrCreate(known, document, () => ({ uses: findUses(schema, document) }));
  if (uses === undefined) return NONE;
  const changes = operation.operation === "mutation";
  const names = new Set<string>();
  const visited = new Set<string | OperationDefinitionNode>();
  const isReached = ({ rules }: Found) => rules.every((rule) => isAllowed(caller, rule, changes));
  const collect = (definition: string | OperationDefinitionNode) => {
    if (visited.has(definition)) return;
    visited.add(definition);
    const { parts = [], fragments = [] } = uses.get(definition) ?? {};
    for (const part of parts) if (isReached(part)) names.add(part.name);
    for (const fragment of fragments) if (isReached(fragment)) collect(fragment.name);
  };
  collect(operation);
  return [...names];
}

function findUses(schema: GraphQLSchema, document: DocumentNode): UsesOf {
  const all = new Map<string | OperationDefinitionNode, Uses>();
  const info = new TypeInfo(schema);
  let isUsed = false;
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION)
      continue;
    const uses: Uses = { parts: [], fragments: [] };
    // The access rules of the fields that enclose the current node, with one entry for each field.
    const around: (AccessRule | undefined)[] = [];
    const rules = () => around.filter((rule) => rule !== undefined);
    const note = (part: Parameters<typeof deprecatedName>[0]) => {
      const name = deprecatedName(part);
      if (name === undefined) return;
      uses.parts.push({ name, rules: rules() });
      isUsed = true;
    };
    const visitor = visitWithTypeInfo(info, {
      Field: {
        enter() {
          const field = info.getFieldDef() ?? undefined;
          around.push(accessOf(field));
          note(field);
        },
        leave: () => void around.pop(),
      },
      FragmentSpread: ({ name }) => void uses.fragments.push({ name: name.value, rules: rules() }),
      Argument: () => note(info.getArgument()),
      EnumValue: () => note(info.getEnumValue()),
      ObjectField: (node) => {
        const type = getNamedType(info.getParentInputType());
        if (isInputObjectType(type)) note(type.getFields()[node.name.value]);
      },
    });
    visit(definition, visitor);
    all.set(definition.kind === Kind.FRAGMENT_DEFINITION ? definition.name.value : definition, uses);
  }
  return isUsed ? all : undefined;
}
