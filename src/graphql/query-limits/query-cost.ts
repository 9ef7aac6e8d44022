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
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from "graphql";
import { charactersOf, itemsOf, pageSize } from "../../schema/list-size";
import { assertAtMost } from "./limits";

/** The most that the answer to an operation may hold, as if every page were full. */
export interface QueryCost {
  /** Objects, lists and leaves. */
  values: number;
  /** Of the answer as JSON: names as they are selected, texts at their full length. */
  characters: number;
  /** Distinct names at the root. */
  rootFields: number;
}

type Size = Pick<QueryCost, "values" | "characters">;

/** Around a name and its value in JSON: two quotes, a colon, a comma. */
const NAME_PUNCTUATION = 4;
/** Around an item: brackets, braces or quotes, and a comma. */
const ITEM_PUNCTUATION = 3;

/** What is selected under one name of the answer: as what, and what by the names below it. */
interface Merged {
  as: string;
  below: Map<string, Merged>;
}

/** How many times a selection counts that conflicts with another of its name, which no good client sends. */
const CONFLICT = 10;

/** Where a selection stands. */
interface Place {
  /** Undefined below what the schema does not have. */
  type: GraphQLNamedOutputType | undefined;
  /** Items of the lists right here, where the field around says so. */
  page: number | undefined;
  merged: Map<string, Merged>;
  levels: number;
  /** Fragments around this. */
  spreads: readonly string[];
}

/**
 * Counts what a document comes to with its fragments expanded, and what its operations may cost. It stops at the
 * limits, so a document that grows exponentially takes no longer. It does not validate: what the schema does not have
 * costs little.
 * @param variables of a request; when left out, the cost is that of the largest pages they can ask for
 * @returns the cost of each operation
 * @throws GatewayError `query_too_complex`
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
  let repeated = 0;
  let rootFields = 0;
  let operation: OperationDefinitionNode | undefined;

  const costOf = (set: SelectionSetNode, place: Place): Size => {
    assertAtMost("levels", place.levels);
    const total = { values: 0, characters: 0 };
    for (const node of set.selections) {
      const { values, characters } = costOfSelection(node, place);
      total.values += values;
      total.characters += characters;
    }
    return total;
  };
  const costOfSelection = (node: SelectionNode, place: Place): Size => {
    fields += 1;
    assertAtMost("fields", fields);
    if (node.kind === Kind.FIELD) return costOfField(node, place);
    const inside = { ...place, levels: place.levels + 1 };
    if (node.kind === Kind.INLINE_FRAGMENT) return costOf(node.selectionSet, inside);
    const name = node.name.value;
    const fragment = fragments.get(name);
    // Neither an unknown fragment nor one of itself gets past the validation.
    if (fragment === undefined || place.spreads.includes(name)) return { values: 0, characters: 0 };
    reached.add(fragment);
    return costOf(fragment.selectionSet, { ...inside, spreads: [...place.spreads, name] });
  };
  const costOfField = (node: FieldNode, place: Place): Size => {
    const name = node.alias?.value ?? node.name.value;
    const as = textOf(node);
    let merged = place.merged.get(name);
    if (merged) {
      repeated += merged.as === as ? 1 : CONFLICT;
      assertAtMost("repeated fields", repeated);
    } else {
      merged = { as, below: new Map() };
      place.merged.set(name, merged);
    }
    if (operation !== undefined && place.type === rootOf(operation)) {
      rootFields += 1;
      assertAtMost("root fields", rootFields);
    }
    const field = fieldOf(place.type, node.name.value);
    const items = itemsOf(field, place.type?.name ?? "", place.page);
    const itemSize = node.selectionSet
      ? costOf(node.selectionSet, {
          type: field && getNamedType(field.type),
          page: pageSize(field, node, operation, variables),
          merged: merged.below,
          levels: place.levels + 1,
          spreads: place.spreads,
        })
      : { values: 0, characters: charactersOf(field) };
    return {
      values: items * (1 + itemSize.values),
      characters: name.length + NAME_PUNCTUATION + items * (itemSize.characters + ITEM_PUNCTUATION),
    };
  };

  const rootOf = ({ operation }: OperationDefinitionNode) => schema.getRootType(operation) ?? undefined;
  const fieldOf = (type: Place["type"], name: string): GraphQLField<unknown, unknown> | undefined => {
    if (type === schema.getQueryType() && name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (type === schema.getQueryType() && name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
    return isObjectType(type) ? type.getFields()[name] : undefined;
  };
  const start = (type: Place["type"]): Place => ({
    type,
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
    const root = start(rootOf(definition));
    const size = costOf(definition.selectionSet, root);
    costs.set(definition, { ...size, rootFields: root.merged.size });
  }
  operation = undefined;
  for (const definition of definitions) {
    if (definition.kind !== Kind.FRAGMENT_DEFINITION || reached.has(definition)) continue;
    costOf(definition.selectionSet, start(undefined));
  }
  return costs;
}

/** A field and its arguments as they are written. */
function textOf({ name, arguments: args = [] }: FieldNode): string {
  const [start, end] = [args[0]?.loc?.start, args.at(-1)?.loc?.end];
  return start === undefined ? name.value : name.value + args[0]?.loc?.source.body.slice(start, end);
}
