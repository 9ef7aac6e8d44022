import {
  type GraphQLField,
  GraphQLInputObjectType,
  type GraphQLNamedType,
  GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isObjectType,
  isSpecifiedScalarType,
  printType,
} from "graphql";
import type MiniSearch from "minisearch";
import { isAllowed } from "../auth/authorize";
import type { Caller } from "../auth/caller";
import { accessOf } from "../schema/access";
import { isForMembers } from "../schema/for-members";

const MAX_MATCHES = 8;

const MAX_CHARACTERS = 10_000;

/** Max additional matches to list by name only. */
const MAX_NAMES = 20;

/** Splits names such as `sendToConversation` into words, so that each word can be found. */
const wordsOf = (text: string): string[] => text.match(/[A-Z]?[a-z0-9]+|[A-Z]+/g) ?? [];

/** Searches fields and types of the schema by words in their names and descriptions. */
export class SchemaSearch {
  private index: MiniSearch | undefined;

  constructor(private readonly schema: GraphQLSchema) {}

  /** Returns the best matches for words, in SDL: root fields and types that the caller may use. */
  search(words: string, caller: Caller): string {
    this.index ??= this.createIndex();
    const usable = partsOf(this.schema, (field, changes) => isAllowed(caller, accessOf(field), changes));
    const printed: string[] = [];
    const names: string[] = [];
    let characters = 0;
    for (const { id } of this.index.search(words, { filter: ({ id }) => usable.has(id) })) {
      const text = printType(usable.get(id) as GraphQLNamedType);
      if (printed.length < MAX_MATCHES && characters + text.length <= MAX_CHARACTERS) {
        printed.push(text);
        characters += text.length;
      } else names.push(id);
    }
    if (names.length > 0) printed.push(`# Further matches: ${names.slice(0, MAX_NAMES).join(", ")}`);
    return printed.join("\n\n") || "# There are no matches.";
  }

  /** Creates the search index; called on the first search, because most processes never need the index. */
  private createIndex(): MiniSearch {
    const Library: typeof MiniSearch = require("minisearch");
    const index = new Library({
      fields: ["id", "description", "text"],
      tokenize: wordsOf,
      searchOptions: {
        boost: { id: 4, description: 2 },
        prefix: (word) => word.length > 2,
        fuzzy: (word) => (word.length > 4 ? 0.2 : false),
      },
    });
    for (const [id, type] of partsOf(this.schema, () => true))
      index.add({ id, description: type.description ?? "", text: printType(type) });
    return index;
  }
}

/**
 * Returns the root fields of queries and mutations, such as `Query.pets`, each as a type with only that field, and all
 * types that can be reached from these fields, by name.
 * @param mayUse returns true for the fields to include
 */
function partsOf(
  schema: GraphQLSchema,
  mayUse: (field: GraphQLField<unknown, unknown>, changes: boolean) => boolean,
): Map<string, GraphQLNamedType> {
  const parts = new Map<string, GraphQLNamedType>();
  const addTypesOf = ({ type, args }: GraphQLField<unknown, unknown>) => {
    for (const each of [type, ...args.map((argument) => argument.type)]) addType(getNamedType(each));
  };
  const addType = (type: GraphQLNamedType): void => {
    if (parts.has(type.name) || isSpecifiedScalarType(type)) return;
    parts.set(type.name, type);
    if (isObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(
        (field) => accessOf(field) === undefined || mayUse(field, false),
      );
      parts.set(type.name, withFields(type, fields));
      fields.forEach(addTypesOf);
    } else if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter((field) => !isForMembers(field));
      const config = type.toConfig();
      parts.set(type.name, new GraphQLInputObjectType({ ...config, fields: picked(config.fields, fields) }));
      for (const each of fields) addType(getNamedType(each.type));
    }
  };
  for (const root of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(root?.getFields() ?? {})) {
      if (root === null || root === undefined || !mayUse(field, root === schema.getMutationType())) continue;
      parts.set(`${root.name}.${field.name}`, withFields(root, [field]));
      addTypesOf(field);
    }
  }
  return parts;
}

function withFields(type: GraphQLObjectType, fields: readonly { name: string }[]): GraphQLObjectType {
  const config = type.toConfig();
  return new GraphQLObjectType({ ...config, fields: picked(config.fields, fields) });
}

const picked = <T>(all: Readonly<Record<string, T>>, named: readonly { name: string }[]): Record<string, T> =>
  Object.fromEntries(named.map(({ name }) => [name, all[name] as T]));
