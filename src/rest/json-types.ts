// One file, because lists, objects and inputs contain each other, so the functions for them call each other.

import {
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  Kind,
  type SelectionSetNode,
} from "graphql";
import { type Check, checkOf, type JsonSchemaRule, ruleOf } from "../common/json-schema";
import { excerpt } from "../credentials/redact-tokens";
import type { StoredJson } from "../database/stored-json";
import { InvalidInput, MAX_PROBLEMS } from "../errors";
import { isForMembers } from "../schema/for-members";
import { boundsOf } from "../schema/list-size";
import { isForModels } from "../schema/not-for-models";
import { addRuleProblems, objectRulesOf } from "../schema/object-rule";
import { oneOfRule } from "../schema/one-of";
import { isWrittenAsStored } from "../schema/written-as-stored";
import { isOfTexts, leafType } from "./json-scalars";
import { addProblem, below, type JsonSchema, type JsonType } from "./json-value";

/** The input field for an idempotency key in GraphQL. */
export const IDEMPOTENCY_FIELD = "idempotencyKey";

export const IDEMPOTENCY_HEADER = "Idempotency-Key";

/** The context in which a type is used. */
export interface Use {
  rule?: JsonSchemaRule;
  check?: Check | undefined;
  /** The document's selection of an object's fields. */
  selection?: SelectionSetNode | undefined;
  /** Registers the schema of a named type and returns a reference to it. */
  define?: ((name: string, schema: JsonSchema) => JsonSchema) | undefined;
  /** True if the items of a list are validated individually. */
  itemsApart?: boolean;
  /** Names of the enclosing input objects. */
  within?: readonly string[];
}

/**
 * Derives REST's decoder, writer and JSON Schema from a GraphQL type.
 * @throws Error for types that REST cannot represent: interfaces, unions, unknown scalars, recursive inputs
 */
export function jsonTypeOf(type: GraphQLType, use: Use = {}): JsonType {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return listType(nullable.ofType, use);
  if (isObjectType(nullable)) return named(nullable, objectType(selectedMembers(nullable, use)), use);
  if (isInputObjectType(nullable)) return named(nullable, inputType(nullable, use), use);
  if (!isLeafType(nullable)) throw new Error(`REST cannot represent the type ${nullable.name}`);
  const { minItems: _, maxItems: __, ...rule } = use.rule ?? {};
  const leaf = leafType(nullable, rule);
  if (!isEnumType(nullable)) return checked(leaf, use.check);
  return isOfTexts(nullable) ? leaf : named(nullable, leaf, use);
}

/** Registers the schema of a type under its GraphQL name. */
function named(type: GraphQLNamedType, json: JsonType, use: Use) {
  if (use.define === undefined) return json;
  const values = isEnumType(type) ? type.getValues() : [];
  const meanings = values.map(({ name, description }) => `- \`${name}\`: ${description}`).join("\n");
  const description = [type.description, meanings].filter(Boolean).join("\n\n");
  return { ...json, schema: use.define(type.name, { ...json.schema, ...(description && { description }) }) };
}

function checked(json: JsonType, check: Check | undefined): JsonType {
  if (check === undefined) return json;
  return {
    ...json,
    decode(value, location) {
      const { length } = location.problems;
      const decoded = json.decode(value, location);
      const problem = location.problems.length > length ? undefined : check(decoded);
      return problem === undefined ? decoded : addProblem(location, problem);
    },
  };
}

function listType(itemType: GraphQLType, use: Use): JsonType {
  const item = jsonTypeOf(itemType, use);
  const takesNull = !isNonNullType(itemType);
  const { minItems, maxItems } = use.rule ?? {};
  return {
    schema: {
      type: "array",
      items: takesNull ? orNull(item.schema) : item.schema,
      ...(minItems !== undefined && { minItems }),
      ...(maxItems !== undefined && { maxItems }),
    },
    decode(value, location) {
      if (location.source !== "text" && !Array.isArray(value)) return addProblem(location, "must be a list");
      const items: unknown[] = Array.isArray(value) ? value : [value];
      if (minItems !== undefined && items.length < minItems) {
        const items = minItems === 1 ? "one item" : `${minItems} items`;
        return addProblem(location, `must have at least ${items}`);
      }
      if (maxItems !== undefined && items.length > maxItems) {
        return addProblem(location, `must have at most ${maxItems} items`);
      }
      const decoded: unknown[] = [];
      for (const [i, each] of items.entries()) {
        if (use.itemsApart && location.malformed !== undefined) {
          const apart = { path: "", source: location.source, problems: [] };
          // Decodes each item like a separate request body; null is treated as an empty body.
          const found = item.decode(each ?? {}, apart);
          if (apart.problems.length > 0) location.malformed.set(i, new InvalidInput(apart.problems));
          decoded.push(apart.problems.length > 0 ? {} : found);
          continue;
        }
        if (location.problems.length >= MAX_PROBLEMS) break;
        if (each !== null) decoded.push(item.decode(each, below(location, i)));
        else if (takesNull) decoded.push(null);
        else addProblem(below(location, i), "must not be null");
      }
      return decoded;
    },
    write: takesNull
      ? (value) => `[${(value as unknown[]).map((each) => (each == null ? "null" : item.write(each)))}]`
      : (value) => `[${(value as unknown[]).map(item.write)}]`,
    structure: (value) => (value as unknown[]).map((each) => (each == null ? null : item.structure(each))),
  };
}

/** A member of a JSON object. */
export interface Member {
  name: string;
  /** Name in GraphQL: a field, response key or variable. */
  key: string;
  json: JsonType;
  required: boolean;
  takesNull: boolean;
  /** False if models may not pass the member; true by default. */
  isForModels?: boolean;
  description?: string | null | undefined;
  default?: unknown;
}

/** Returns the representation of an object with exactly these members; results omit null members. */
export function objectType(members: readonly Member[]): JsonType {
  const names = new Set(members.map(({ name }) => name));
  const forModels = new Set(members.filter((each) => each.isForModels !== false).map(({ name }) => name));
  const written = members.map(({ name, key, json }) => {
    const prefix = `${JSON.stringify(name)}:`;
    return { key, json, first: `{${prefix}`, next: `,${prefix}` };
  });
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(members.map((member) => [member.name, memberSchema(member)])),
      required: members.filter(({ required }) => required).map(({ name }) => name),
      additionalProperties: false,
    },
    forModels,
    decode(value, location) {
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        return addProblem(location, "must be an object");
      }
      const given = value as Record<string, unknown>;
      const known = location.source === "argument" ? forModels : names;
      for (const name of Object.keys(given)) {
        if (location.problems.length >= MAX_PROBLEMS) break;
        if (!known.has(name))
          addProblem({ ...location, path: excerpt(below(location, name).path, 100) }, "is not known");
      }
      const decoded: Record<string, unknown> = {};
      for (const { name, key, json, required, takesNull } of members) {
        const member = Object.hasOwn(given, name) ? given[name] : undefined;
        if (member === undefined && !required) continue;
        if (member == null && !takesNull)
          addProblem(below(location, name), required ? "is required" : "must not be null");
        else decoded[key] = member === null ? null : json.decode(member, below(location, name));
      }
      return decoded;
    },
    write(value) {
      const source = value as Record<string, unknown>;
      let text = "";
      for (const { key, json, first, next } of written) {
        const member = source[key];
        if (member != null) text += (text === "" ? first : next) + json.write(member);
      }
      return text === "" ? "{}" : `${text}}`;
    },
    structure(value) {
      const source = value as Record<string, unknown>;
      const structure: Record<string, unknown> = {};
      for (const { name, key, json } of members) {
        if (source[key] != null) structure[name] = json.structure(source[key]);
      }
      return structure;
    },
  };
}

/** Returns the schema of a member, with its description and default. */
export function memberSchema({
  json,
  takesNull,
  description,
  default: value,
}: Omit<Member, "name" | "key" | "required">): JsonSchema {
  return {
    ...(takesNull ? orNull(json.schema) : json.schema),
    ...(description && { description }),
    ...(value != null && { default: value }),
  };
}

/** Allows null with `oneOf`, because some generators do not support lists of types; `{}` already allows null. */
const orNull = (schema: JsonSchema): JsonSchema =>
  Object.keys(schema).length === 0 ? schema : { oneOf: [schema, { type: "null" }] };

/** Returns the representation of an input object, with the rules of its class. */
function inputType(type: GraphQLInputObjectType, use: Use): JsonType {
  const members = inputMembers(type, use);
  if (type.isOneOf) return oneOfType(type, members);
  const json = objectType(members);
  const rules = objectRulesOf(type);
  if (rules.length === 0) return json;
  return {
    ...json,
    decode(value, location) {
      const decoded = json.decode(value, location) as Readonly<Record<string, unknown>> | undefined;
      if (decoded) addRuleProblems(rules, decoded, location.path, location.problems);
      return decoded;
    },
  };
}

/** Returns the representation of an object with exactly one of these members; a null member is treated as omitted. */
function oneOfType(type: GraphQLInputObjectType, members: readonly Member[]): JsonType {
  const json = objectType(members);
  const only = (member: Member) => objectType([{ ...member, required: true, takesNull: false }]).schema;
  return {
    ...json,
    schema: { oneOf: members.map(only) },
    decode(value, location) {
      const decoded = json.decode(value, location) as Record<string, unknown> | undefined;
      if (decoded === undefined) return undefined;
      const given = Object.fromEntries(Object.entries(decoded).filter(([, each]) => each !== null));
      const rules = [oneOfRule(type), ...objectRulesOf(type)];
      addRuleProblems(rules, given, location.path, location.problems);
      return given;
    },
  };
}

function inputMembers(type: GraphQLInputObjectType, { define, within = [] }: Use): Member[] {
  if (within.includes(type.name)) throw new Error(`REST cannot represent the recursive type ${type.name}`);
  const { [IDEMPOTENCY_FIELD]: _, ...fields } = type.getFields();
  const forKeys = Object.values(fields).filter((field) => !isForMembers(field));
  return forKeys.map((field) => ({
    name: field.name,
    key: field.name,
    json: jsonTypeOf(field.type, {
      rule: ruleOf(field),
      check: checkOf(field),
      define,
      within: [...within, type.name],
    }),
    required: isRequiredInputField(field),
    takesNull: !isNonNullType(field.type),
    isForModels: isForModels(field),
    description: field.description,
    default: field.defaultValue,
  }));
}

/** Writes fields marked with `@WrittenAsStored`. */
const STORED: Pick<JsonType, "write" | "structure"> = {
  write: (json) => (json as StoredJson<unknown>).text,
  structure: (json) => (json as StoredJson<unknown>).value,
};

function selectedMembers(type: GraphQLObjectType, { selection, define }: Use): Member[] {
  return (selection?.selections ?? []).map((node) => {
    const field = node.kind === Kind.FIELD ? type.getFields()[node.name.value] : undefined;
    if (node.kind !== Kind.FIELD || field === undefined) {
      throw new Error(`REST cannot represent fragments and __typename, as on ${type.name}`);
    }
    const name = node.alias?.value ?? node.name.value;
    const json = jsonTypeOf(field.type, { rule: boundsOf(field), selection: node.selectionSet, define });
    return {
      name,
      key: name,
      json: isWrittenAsStored(field) ? { ...json, ...STORED } : json,
      required: isNonNullType(field.type),
      takesNull: false,
      description: field.description,
    };
  });
}
