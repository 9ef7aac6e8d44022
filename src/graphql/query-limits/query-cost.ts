import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedOutputType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from "graphql";
import { GatewayError } from "../../errors";
import { isTotal } from "../../pagination/total-count";
import { accessOf } from "../../schema/access";
import { charactersOf, itemsOf, pageSize, type Size, sizeAtMost } from "../../schema/list-size";
import { isReport } from "../../schema/report";
import { assertAtMost } from "./limits";
import { rowCharactersOf } from "./row-characters";

/** The max size of a response, assuming full pages. */
export interface QueryCost extends Size {
  /** Distinct response names at the root. */
  rootFields: number;
  /** Characters of the objects that are read, each with all of its text. */
  readCharacters: number;
  /** Numbers of selections, each multiplied by the number of objects that it applies to, so that page sizes matter. */
  counts: Record<"reports" | "items of nested lists" | "related objects and lists", number>;
}

/** Characters around a name and its value in JSON: two quotes, a colon, a comma. */
const NAME_PUNCTUATION = 4;
/** Characters around an item: brackets, braces or quotes, and a comma. */
const ITEM_PUNCTUATION = 3;

/** The merged selections of one response name. */
interface Merged {
  /** The field and the arguments of the first selection. */
  as: string;
  /** Nested selections, by response name. */
  below: Map<string, Merged>;
}

/** Weight of a selection that conflicts with another of the same name, as only faulty or hostile clients send. */
const CONFLICT_WEIGHT = 10;

interface Scope {
  /** The type that the fields belong to; undefined below an unknown field. */
  type: GraphQLNamedOutputType | undefined;
  /** Max number of objects that this selection applies to. */
  objects: number;
  /** Page size of the lists at this level, if the parent field sets one. */
  page: number | undefined;
  merged: Map<string, Merged>;
  levels: number;
  spreads: readonly string[];
}

export const noCounts = (): QueryCost["counts"] => ({
  reports: 0,
  "items of nested lists": 0,
  "related objects and lists": 0,
});

/**
 * Estimates the cost of each operation with its fragments expanded. Stops at the limits, so that exponential
 * fragments are rejected early, and accepts unvalidated documents.
 * @param variables variables of the request; without them, every page is assumed to have its max size
 * @returns the cost of each operation
 * @throws GatewayError `query_too_complex`; `invalid_request` for a subscription that selects a field with an
 *   access rule below the root
 */
export function queryCosts(
  schema: GraphQLSchema,
  { definitions }: DocumentNode,
  variables?: Readonly<Record<string, unknown>>,
): ReadonlyMap<OperationDefinitionNode, QueryCost> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const each of definitions) {
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each);
  }
  const reached = new Set<FragmentDefinitionNode>();
  let fields = 0;
  let subscriptionFields = 0;
  let repeated = 0;
  let rootFields = 0;
  let aliases = 0;
  let readCharacters = 0;
  let counts = noCounts();
  /** Lists whose total is selected, by their merged selections. */
  const counted = new WeakSet<Scope["merged"]>();
  let operation: OperationDefinitionNode | undefined;

  const costOf = (set: SelectionSetNode, scope: Scope): Size => {
    assertAtMost("levels", scope.levels);
    const total = { values: 0, characters: 0 };
    for (const node of set.selections) {
      const { values, characters } = costOfSelection(node, scope);
      total.values += values;
      total.characters += characters;
    }
    return total;
  };
  const costOfSelection = (node: SelectionNode, scope: Scope): Size => {
    fields += 1;
    assertAtMost("fields", fields);
    if (node.kind === Kind.FIELD) return costOfField(node, scope);
    const inside = { ...scope, levels: scope.levels + 1 };
    if (node.kind === Kind.INLINE_FRAGMENT) return costOf(node.selectionSet, inside);
    const name = node.name.value;
    const fragment = fragments.get(name);
    // Unknown and recursive fragments cost nothing, because validation will reject them.
    if (fragment === undefined || scope.spreads.includes(name)) return { values: 0, characters: 0 };
    reached.add(fragment);
    return costOf(fragment.selectionSet, { ...inside, spreads: [...scope.spreads, name] });
  };
  const costOfField = (node: FieldNode, scope: Scope): Size => {
    const name = node.alias?.value ?? node.name.value;
    if (node.alias !== undefined) aliases += 1;
    const as = textOf(node);
    let merged = scope.merged.get(name);
    if (merged) {
      repeated += merged.as === as ? 1 : CONFLICT_WEIGHT;
      assertAtMost("repeated fields", repeated);
    } else {
      merged = { as, below: new Map() };
      scope.merged.set(name, merged);
    }
    if (operation !== undefined && scope.type === rootOf(operation)) {
      rootFields += 1;
      assertAtMost("root fields", rootFields);
    }
    const field = fieldOf(scope.type, node.name.value);
    if (operation?.operation === OperationTypeNode.SUBSCRIPTION) {
      subscriptionFields += 1;
      assertAtMost("subscription fields", subscriptionFields);
      // A subscription retains the caller that opened it, but scopes and roles may change while it is open.
      if (scope.type !== rootOf(operation) && accessOf(field)) {
        throw new GatewayError(
          "invalid_request",
          `A subscription cannot select ${scope.type?.name}.${node.name.value}. Query it instead.`,
        );
      }
    }
    if (isReport(field) && !counted.has(scope.merged)) counts.reports += scope.objects;
    if (isTotal(field)) counted.add(scope.merged);
    const page = pageSize(field, node, operation, variables);
    if (scope.objects > 1) {
      counts["items of nested lists"] += scope.objects * (page ?? 0);
      if (accessOf(field)) counts["related objects and lists"] += scope.objects;
    }
    const items = itemsOf(field, scope.type?.name ?? "", page ?? scope.page);
    if (page !== undefined || accessOf(field))
      readCharacters += scope.objects * (page ?? items) * rowCharactersOf(field);
    const aliasesBefore = aliases;
    const estimated = node.selectionSet
      ? costOf(node.selectionSet, {
          type: field && getNamedType(field.type),
          objects: scope.objects * items,
          page,
          merged: merged.below,
          levels: scope.levels + 1,
          spreads: scope.spreads,
        })
      : { values: 0, characters: charactersOf(field) };
    // If the selection contains aliases, the response can exceed the declared size, because a field may be
    // selected several times.
    const itemSize = aliases === aliasesBefore ? sizeAtMost(field, estimated) : estimated;
    return {
      values: items * (1 + itemSize.values),
      characters: name.length + NAME_PUNCTUATION + items * (itemSize.characters + ITEM_PUNCTUATION),
    };
  };

  const rootOf = ({ operation }: OperationDefinitionNode) => schema.getRootType(operation) ?? undefined;
  const fieldOf = (type: Scope["type"], name: string): GraphQLField<unknown, unknown> | undefined => {
    if (type === schema.getQueryType() && name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (type === schema.getQueryType() && name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
    return isObjectType(type) ? type.getFields()[name] : undefined;
  };
  const start = (type: Scope["type"]): Scope => ({
    type,
    objects: 1,
    page: undefined,
    merged: new Map(),
    levels: 1,
    spreads: [],
  });

  const costs = new Map<OperationDefinitionNode, QueryCost>();
  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    operation = definition;
    rootFields = 0;
    readCharacters = 0;
    counts = noCounts();
    subscriptionFields = 0;
    const root = start(rootOf(definition));
    const size = costOf(definition.selectionSet, root);
    costs.set(definition, { ...size, rootFields: root.merged.size, readCharacters, counts });
  }
  operation = undefined;
  for (const definition of definitions) {
    if (definition.kind !== Kind.FRAGMENT_DEFINITION || reached.has(definition)) continue;
    costOf(definition.selectionSet, start(undefined));
  }
  return costs;
}

function textOf({ name, arguments: args = [] }: FieldNode): string {
  const [start, end] = [args[0]?.loc?.start, args.at(-1)?.loc?.end];
  return start === undefined ? name.value : name.value + args[0]?.loc?.source.body.slice(start, end);
}
