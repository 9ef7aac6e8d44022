import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  parseType,
  Source,
  TokenKind,
  TypeInfo,
  type ValueNode,
  type VariableDefinitionNode,
  validate,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { LRUCache } from "lru-cache";

const MOST_TEMPLATES = 1_000;
/** All templates together (characters of their texts). */
const LARGEST = 5_000_000;
/** Longest document that is looked at (characters). */
const LONGEST = 10_000;
/** Where a variable takes a literal's place; a document that uses such names itself is left alone. */
const PREFIX = "_literal";
/** Types whose literals can be told from their token alone. */
const HOISTED = ["Int", "ID", "String"];

type Variables = Record<string, unknown>;

/** A number or text that is written into a document. */
interface Literal {
  start: number;
  kind: TokenKind.INT | TokenKind.STRING;
  value: string;
}

/** A literal that became a variable, and those that must be equal to it, for they did too. */
interface Slot {
  name: string;
  type: GraphQLInputType;
  literals: number[];
}

/** A document that is valid, and what of it may differ. */
interface Template {
  document: DocumentNode;
  slots: Slot[];
  /** Literals that must be what they are: defaults of variables, arguments of directives, values of other types. */
  fixed: [index: number, value: string][];
}

/**
 * Valid documents, known again by their text without the literals in it. Many clients write the arguments of a query
 * into the document; each of their requests would be parsed, checked and planned anew. Here the literals become
 * variables, as they are in the documents of other clients.
 */
export class Templates {
  private readonly known = new LRUCache<string, { uses: number; template?: Template }>({
    max: MOST_TEMPLATES,
    maxSize: LARGEST,
    sizeCalculation: (_, key) => key.length + 1,
  });

  constructor(private readonly schema: GraphQLSchema) {}

  /** The known document that a text is an instance of, and the variables that make it that instance. */
  match(text: string): { document: DocumentNode; variables: Variables } | undefined {
    const shape = shapeOf(text);
    const template = shape && this.known.get(shape.key)?.template;
    if (shape === undefined || template === undefined) return undefined;
    const { literals } = shape;
    if (template.fixed.some(([index, value]) => literals[index]?.value !== value)) return undefined;
    const variables: Variables = {};
    for (const { name, type, literals: indexes } of template.slots) {
      const value = literalValue(indexes, literals, type);
      if (value === undefined) return undefined;
      variables[name] = value;
    }
    return { document: template.document, variables };
  }

  /** Tells of a valid document; one with literals is made a template when its like comes a second time. */
  learn(text: string, document: DocumentNode): void {
    const shape = shapeOf(text);
    if (shape === undefined) return;
    const entry = this.known.get(shape.key) ?? { uses: 0 };
    entry.uses += 1;
    if (shape.literals.length === 0) entry.template = { document, slots: [], fixed: [] };
    else if (entry.uses === 2) entry.template = templateOf(this.schema, document, shape.literals);
    this.known.set(shape.key, entry);
  }
}

/** A text with its literals taken out, and the literals; undefined for what is too long or does not parse. */
function shapeOf(text: string): { key: string; literals: Literal[] } | undefined {
  if (text.length > LONGEST || text.includes(PREFIX)) return undefined;
  if (!/["\d]/.test(text)) return { key: text, literals: [] };
  const literals: Literal[] = [];
  let key = "";
  let end = 0;
  try {
    const lexer = new Lexer(new Source(text));
    for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
      if (token.kind !== TokenKind.INT && token.kind !== TokenKind.STRING) continue;
      literals.push({ start: token.start, kind: token.kind, value: token.value });
      key += `${text.slice(end, token.start)}\0${token.kind}\0`;
      end = token.end;
    }
  } catch {
    return undefined;
  }
  return { key: key + text.slice(end), literals };
}

/** The value that all literals of a slot have; undefined when they differ, or it does not fit into the type. */
function literalValue(
  indexes: readonly number[],
  literals: readonly Literal[],
  type: GraphQLInputType,
): unknown {
  const [first, ...others] = indexes.map((index) => literals[index]?.value);
  if (first === undefined || others.some((other) => other !== first)) return undefined;
  if (nameOf(type) !== "Int") return first;
  const number = Number(first);
  return number === (number | 0) ? number : undefined;
}

const nameOf = (type: GraphQLInputType): string => String(type).replace("!", "");

function templateOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  literals: readonly Literal[],
): Template | undefined {
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  const [operation] = operations as OperationDefinitionNode[];
  if (operations.length !== 1 || operation?.operation !== "query") return undefined;
  const indexes = new Map(literals.map(({ start }, index) => [start, index]));
  const slots = new Map<string, Slot>();
  const types = new TypeInfo(schema);

  const hoist = (node: ValueNode) => {
    const type = types.getInputType();
    const index = indexes.get(node.loc?.start ?? -1);
    const literal = literals[index ?? -1];
    if (type == null || index === undefined || literal === undefined || !HOISTED.includes(nameOf(type)))
      return;
    // Equal ones are one variable: two selections of a field in one place must have equal arguments.
    const key = `${literal.kind} ${literal.value} ${type}`;
    const slot = slots.get(key) ?? { name: `${PREFIX}${slots.size}`, type, literals: [] };
    slots.set(key, slot);
    slot.literals.push(index);
    return { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: slot.name } };
  };
  const hoisted: DocumentNode = visit(
    document,
    visitWithTypeInfo(types, {
      VariableDefinition: () => false,
      Directive: () => false,
      IntValue: hoist,
      StringValue: hoist,
    }),
  );
  const definitions = [...slots.values()].map(
    ({ name, type }): VariableDefinitionNode => ({
      kind: Kind.VARIABLE_DEFINITION,
      variable: { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: name } },
      type: parseType(String(type)),
    }),
  );
  const complete: DocumentNode = {
    ...hoisted,
    definitions: hoisted.definitions.map((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION
        ? { ...definition, variableDefinitions: [...(definition.variableDefinitions ?? []), ...definitions] }
        : definition,
    ),
  };
  if (validate(schema, complete).length > 0) return undefined;
  const taken = new Set([...slots.values()].flatMap((slot) => slot.literals));
  const fixed = literals.flatMap(({ value }, index): [number, string][] =>
    taken.has(index) ? [] : [[index, value]],
  );
  return { document: complete, slots: [...slots.values()], fixed };
}
