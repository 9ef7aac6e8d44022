import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isNonNullType,
} from "graphql";
import { ruleOf } from "../validation/json-schema";
import { IDEMPOTENCY_FIELD } from "./decode";

/** A JSON Schema (2020-12), as OpenAPI 3.1 takes it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * What REST accepts for a GraphQL input, derived from the schema and from the rules on its fields: the same that
 * `decode` and the validation afterwards let pass.
 */
export function inputSchema(type: GraphQLInputType, field?: GraphQLInputField | GraphQLArgument): JsonSchema {
  if (isNonNullType(type)) return inputSchema(type.ofType, field);
  if (isInputObjectType(type)) {
    const { [IDEMPOTENCY_FIELD]: _, ...fields } = type.getFields();
    const members = Object.values(fields);
    return {
      type: "object",
      ...(type.description && { description: type.description }),
      properties: Object.fromEntries(members.map((each) => [each.name, fieldSchema(each)])),
      required: members.filter(({ type }) => isNonNullType(type)).map(({ name }) => name),
      additionalProperties: false,
    };
  }
  if (isEnumType(type)) return { type: "string", enum: type.getValues().map(({ name }) => name) };
  return { type: type.name === "Int" ? "integer" : "string", ...ruleOf(field) };
}

/** The schema of a field or argument, with its description; JSON may say null for what may be left out. */
export function fieldSchema(field: GraphQLInputField | GraphQLArgument): JsonSchema {
  const schema = inputSchema(field.type, field);
  const optional = !isNonNullType(field.type);
  return {
    ...schema,
    ...(optional && { type: [schema.type, "null"] }),
    ...(optional && Array.isArray(schema.enum) && { enum: [...schema.enum, null] }),
    ...(field.description && { description: field.description }),
  };
}
