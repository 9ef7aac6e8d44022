import { type GraphQLInputObjectType, type GraphQLSchema, isInputObjectType } from "graphql";
import { Extensions } from "type-graphql";
import type { ObjectRule } from "./object-rule";

/** Declares an input class that takes exactly one of its fields, like GraphQL's `@oneOf`. Its fields are nullable. */
export const OneOf = (): ClassDecorator => Extensions({ oneOf: true });

/** Marks the types of classes with `@OneOf`, because TypeGraphQL has no option for it. */
export function markOneOf(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap()))
    if (isInputObjectType(type) && type.extensions.oneOf === true) type.isOneOf = true;
}

/** Returns the rule of a type with `@oneOf`: exactly one field is given, and it is not null. */
export function oneOfRule(type: GraphQLInputObjectType): ObjectRule {
  const fields = Object.keys(type.getFields());
  const hint = `pass exactly one of ${fields.slice(0, -1).join(", ")} and ${fields.at(-1)}`;
  return {
    fields,
    check(input) {
      const [first, second] = fields.filter((name) => input[name] !== undefined);
      if (first === undefined) return { path: fields[0] as string, message: `is required: ${hint}` };
      if (second !== undefined) return { path: second, message: `is not allowed with ${first}: ${hint}` };
      return input[first] === null ? { path: first, message: `must not be null: ${hint}` } : undefined;
    },
  };
}
