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
import { type Cost, sum, times } from "./cost";
import { within } from "./limits";
import { itemsOf, pageSize } from "./page-size";

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
  page: Cost | undefined;
  merged: Map<string, Merged>;
  levels: number;
  /** Fragments around this. */
  spreads: readonly string[];
}

/**
 * Counts what a document comes to once its fragments stand where they are spread, and what its operations may cost.
 * It stops at the limits, so it takes no longer for a document that grows without end. Whether the document fits the
 * schema is for others to tell: what is not known costs little.
 * @returns the cost of each operation: how many values its answer may hold
 * @throws GatewayError `query_too_complex`
 */
export function expand(
  schema: GraphQLSchema,
  { definitions }: DocumentNode,
): ReadonlyMap<OperationDefinitionNode, Cost> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const each of definitions) {
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each);
  }
  const reached = new Set<FragmentDefinitionNode>();
  let fields = 0;
  let repeated = 0;
  let rootFields = 0;
  let operation: OperationDefinitionNode | undefined;

  const costOf = (set: SelectionSetNode, place: Place): Cost => {
    within("levels", place.levels);
    return sum(set.selections.map((node) => costOfSelection(node, place)));
  };
  const costOfSelection = (node: SelectionNode, place: Place): Cost => {
    fields += 1;
    within("fields", fields);
    if (node.kind === Kind.FIELD) return costOfField(node, place);
    const inside = { ...place, levels: place.levels + 1 };
    if (node.kind === Kind.INLINE_FRAGMENT) return costOf(node.selectionSet, inside);
    const name = node.name.value;
    const fragment = fragments.get(name);
    // Neither an unknown fragment nor one of itself gets past the validation.
    if (fragment === undefined || place.spreads.includes(name)) return 0;
    reached.add(fragment);
    return costOf(fragment.selectionSet, { ...inside, spreads: [...place.spreads, name] });
  };
  const costOfField = (node: FieldNode, place: Place): Cost => {
    const name = node.alias?.value ?? node.name.value;
    const as = textOf(node);
    let merged = place.merged.get(name);
    if (merged) {
      repeated += merged.as === as ? 1 : CONFLICT;
      within("repeated fields", repeated);
    } else {
      merged = { as, below: new Map() };
      place.merged.set(name, merged);
    }
    if (operation !== undefined && place.type === rootOf(operation)) {
      rootFields += 1;
      within("root fields", rootFields);
    }
    const field = fieldOf(place.type, node.name.value);
    const items = itemsOf(field, place.type?.name ?? "", place.page);
    if (node.selectionSet === undefined) return items;
    const below = costOf(node.selectionSet, {
      type: field && getNamedType(field.type),
      page: pageSize(field, node, operation),
      merged: merged.below,
      levels: place.levels + 1,
      spreads: place.spreads,
    });
    return times(items, sum([1, below]));
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

  const costs = new Map<OperationDefinitionNode, Cost>();
  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    operation = definition;
    rootFields = 0;
    costs.set(definition, costOf(definition.selectionSet, start(rootOf(definition))));
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
