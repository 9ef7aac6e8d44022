import { GraphQLID, type GraphQLSchema, GraphQLString, getNullableType, isObjectType } from "graphql";
import { getMetadataArgsStorage } from "typeorm";
import { ruleOf } from "../common/json-schema";

/** Declares the length of each text column as a rule on its field. */
export function declareColumnLengths(schema: GraphQLSchema): void {
  for (const { target, propertyName, options } of getMetadataArgsStorage().columns) {
    const type = typeof target === "function" ? schema.getType(target.name) : undefined;
    const field = isObjectType(type) ? type.getFields()[propertyName] : undefined;
    if (field === undefined || options.length === undefined) continue;
    const leaf = getNullableType(field.type);
    if (leaf !== GraphQLString && leaf !== GraphQLID) continue;
    const jsonSchema = { maxLength: Number(options.length), ...ruleOf(field) };
    field.extensions = { ...field.extensions, jsonSchema };
  }
}
