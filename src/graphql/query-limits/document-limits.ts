import {
  type ArgumentNode,
  type DirectiveNode,
  type DocumentNode,
  Kind,
  type SelectionSetNode,
  type TypeNode,
  type ValueNode,
} from "graphql";
import { assertAtMost, MAX } from "./limits";

/** A node with arguments or directives: a definition, a selection or a directive. */
interface Annotated {
  arguments?: readonly ArgumentNode[];
  directives?: readonly DirectiveNode[];
}

/** Checks a document in one walk, before fragments are expanded; throws `query_too_complex`. */
export function assertDocumentLimits({ definitions, loc }: DocumentNode): void {
  assertAtMost("lines", linesOf(loc?.source.body ?? ""));
  assertAtMost("operations", definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length);
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
    assertAtMost("values", values);
    assertAtMost("levels", levels);
    for (const each of inside) inspectValue(each, levels + 1);
  };
  const inspectAnnotations = (node: Annotated) => {
    assertAtMost("arguments", node.arguments?.length ?? 0);
    for (const { value } of node.arguments ?? []) inspectValue(value, 1);
    directives += node.directives?.length ?? 0;
    assertAtMost("directives", directives);
    for (const directive of node.directives ?? []) inspectAnnotations(directive);
  };
  const inspectSelections = (set: SelectionSetNode, levels: number) => {
    assertAtMost("levels", levels);
    for (const node of set.selections) {
      inspectAnnotations(node);
      if (node.kind !== Kind.FRAGMENT_SPREAD && node.selectionSet)
        inspectSelections(node.selectionSet, levels + 1);
    }
  };

  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION)
      continue;
    const { variableDefinitions = [] } = definition;
    assertAtMost("variables", variableDefinitions.length);
    for (const variable of variableDefinitions) {
      inspectAnnotations(variable);
      inspectType(variable.type);
      if (variable.defaultValue) inspectValue(variable.defaultValue, 1);
    }
    inspectAnnotations({ directives: definition.directives });
    inspectSelections(definition.selectionSet, 1);
  }
}

function inspectType(type: TypeNode): void {
  let levels = 1;
  for (let of = type; of.kind !== Kind.NAMED_TYPE; of = of.type) assertAtMost("levels", levels++);
}

function linesOf(text: string): number {
  if (text.length <= MAX.lines) return 1;
  let lines = 1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || code === 13) lines++;
  }
  return lines;
}
