import {
  type ArgumentNode,
  type DirectiveNode,
  type DocumentNode,
  Kind,
  type SelectionSetNode,
  type TypeNode,
  type ValueNode,
} from "graphql";
import { MOST, within } from "./limits";

/** What may stand at a definition, a selection or a directive. */
interface Adorned {
  arguments?: readonly ArgumentNode[];
  directives?: readonly DirectiveNode[];
}

/**
 * Refuses what a document has too much of as it is written, in one walk over a document of bounded length.
 * @throws GatewayError `query_too_complex`
 */
export function inspect({ definitions, loc }: DocumentNode): void {
  within("lines", linesOf(loc?.source.body ?? ""));
  within("operations", definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length);
  let directives = 0;
  let values = 0;

  const inspectValue = (value: ValueNode, levels: number): void => {
    const inside =
      value.kind === Kind.LIST
        ? value.values
        : value.kind === Kind.OBJECT
          ? value.fields.map((field) => field.value)
          : [];
    values += inside.length;
    within("values", values);
    within("levels", levels);
    for (const each of inside) inspectValue(each, levels + 1);
  };
  const adorned = (node: Adorned) => {
    within("arguments", node.arguments?.length ?? 0);
    for (const { value } of node.arguments ?? []) inspectValue(value, 1);
    directives += node.directives?.length ?? 0;
    within("directives", directives);
    for (const directive of node.directives ?? []) adorned(directive);
  };
  const selections = (set: SelectionSetNode, levels: number) => {
    within("levels", levels);
    for (const node of set.selections) {
      adorned(node);
      if (node.kind !== Kind.FRAGMENT_SPREAD && node.selectionSet) selections(node.selectionSet, levels + 1);
    }
  };

  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION)
      continue;
    const { variableDefinitions = [] } = definition;
    within("variables", variableDefinitions.length);
    for (const variable of variableDefinitions) {
      adorned(variable);
      inspectType(variable.type);
      if (variable.defaultValue) inspectValue(variable.defaultValue, 1);
    }
    adorned({ directives: definition.directives });
    selections(definition.selectionSet, 1);
  }
}

function inspectType(type: TypeNode): void {
  let levels = 1;
  for (let of = type; of.kind !== Kind.NAMED_TYPE; of = of.type) within("levels", levels++);
}

function linesOf(text: string): number {
  if (text.length <= MOST.lines) return 1;
  let lines = 1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || code === 13) lines++;
  }
  return lines;
}
