import {
  type FieldNode,
  type GraphQLFieldMap,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  type SelectionSetNode,
} from "graphql";
import { ruleOf } from "../validation/json-schema";

/** A JSON Schema of an answer, and what writes GraphQL's data as the JSON text of it. */
export interface Encoding {
  schema: Record<string, unknown>;
  write: (value: unknown) => string;
}

/** The field that a path of a fixed document leads to: its type and what is selected of it. */
export function fieldAt(
  type: GraphQLOutputType,
  selection: SelectionSetNode,
  path: readonly string[],
): { type: GraphQLOutputType; selection: SelectionSetNode | undefined } {
  const [name, ...rest] = path;
  const parent = getNamedType(type);
  const node = selection.selections.find(
    (each): each is FieldNode => each.kind === "Field" && each.name.value === name,
  );
  const field = isObjectType(parent) && name !== undefined ? parent.getFields()[name] : undefined;
  if (node === undefined || field === undefined)
    throw new Error(`The document selects no ${path.join(".")}.`);
  if (rest.length === 0 || node.selectionSet === undefined)
    return { type: field.type, selection: node.selectionSet };
  return fieldAt(field.type, node.selectionSet, rest);
}

/**
 * Derives how REST writes what a document selects: as GraphQL does, but an int64 is a number and what is null is
 * left out.
 */
export function encodingOf(
  type: GraphQLOutputType,
  selection: SelectionSetNode | undefined,
  format?: unknown,
): Encoding {
  if (isNonNullType(type)) return encodingOf(type.ofType, selection, format);
  if (isListType(type)) {
    const items = encodingOf(type.ofType, selection, format);
    return {
      schema: { type: "array", items: items.schema },
      write: (value) => `[${(value as unknown[]).map(items.write)}]`,
    };
  }
  if (isObjectType(type)) return objectEncoding(type.getFields(), selection?.selections ?? []);
  if (format === "int64") {
    // Decimal digits already, of which JSON.stringify would make a text, and Number another number.
    return { schema: { type: "integer", format }, write: (value) => value as string };
  }
  if (isEnumType(type)) {
    return {
      schema: { type: "string", enum: type.getValues().map(({ name }) => name) },
      write: JSON.stringify,
    };
  }
  const schema =
    type.name === "DateTimeISO" ? { type: "string", format: "date-time" } : JSON_TYPES[type.name];
  if (schema === undefined) throw new Error(`REST has no form for the type ${type.name}.`);
  return { schema, write: JSON.stringify };
}

const JSON_TYPES: Readonly<Record<string, { type: string; format?: string }>> = {
  ID: { type: "string" },
  String: { type: "string" },
  Boolean: { type: "boolean" },
  Int: { type: "integer", format: "int32" },
};

type Fields = GraphQLFieldMap<unknown, unknown>;

function objectEncoding(fields: Fields, selections: SelectionSetNode["selections"]): Encoding {
  const members = selections.flatMap((node) => {
    const field = node.kind === "Field" ? fields[node.name.value] : undefined;
    if (node.kind !== "Field" || field === undefined) return [];
    const encoding = encodingOf(field.type, node.selectionSet, ruleOf(field).format);
    return [
      {
        name: node.name.value,
        prefix: `${JSON.stringify(node.name.value)}:`,
        description: field.description,
        required: isNonNullType(field.type),
        ...encoding,
      },
    ];
  });
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(
        members.map(({ name, schema, description }) => [
          name,
          { ...schema, ...(description && { description }) },
        ]),
      ),
      required: members.filter(({ required }) => required).map(({ name }) => name),
    },
    write: (value) => {
      const source = value as Record<string, unknown>;
      let text = "";
      for (const { name, prefix, write } of members) {
        if (source[name] != null) text += (text === "" ? "" : ",") + prefix + write(source[name]);
      }
      return `{${text}}`;
    },
  };
}
