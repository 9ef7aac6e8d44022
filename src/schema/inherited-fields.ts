import { type GraphQLSchema, isInputObjectType } from "graphql";
import { getMetadataStorage } from "type-graphql";

/** Copies the extensions of inherited input fields from their declarations, because TypeGraphQL drops them. */
export function inheritExtensions(schema: GraphQLSchema): void {
  const { inputTypes } = getMetadataStorage();
  for (const { target, name } of inputTypes) {
    const type = schema.getType(name);
    if (!isInputObjectType(type)) continue;
    const bases = inputTypes.filter((other) => Object.prototype.isPrototypeOf.call(other.target, target));
    for (const { schemaName, extensions } of bases.flatMap(({ fields = [] }) => fields)) {
      const field = type.getFields()[schemaName];
      if (field !== undefined) field.extensions = { ...extensions, ...field.extensions };
    }
  }
}
