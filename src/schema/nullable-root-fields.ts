import {
  DirectiveLocation,
  GraphQLDirective,
  type GraphQLField,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isNonNullType,
} from "graphql";

/** The directive for semantic nullability, as supported by client libraries and code generators. */
export const SEMANTIC_NON_NULL = new GraphQLDirective({
  name: "semanticNonNull",
  description:
    "The field is null only if resolving it failed, as reported in `errors`. Clients that throw on errors may treat it as non-null.",
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: {
    levels: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLInt))),
      description: "List levels that the directive applies to.",
      defaultValue: [0],
    },
  },
});

/**
 * Makes every field of Query and Mutation nullable, because each can fail: its caller may lack access, its arguments
 * may be invalid, or the database may be unavailable. An error in a non-null root field would discard the results of
 * all others, such as the secret of a key that is already active. A subscription has only one root field, so nothing
 * can be discarded.
 *
 * The resolvers keep their non-null types. `declaredType` returns these types for REST, whose routes have one root
 * field and respond with its error instead. The printed schema marks the fields with `@semanticNonNull`.
 */
export function makeRootFieldsNullable(schema: GraphQLSchema): void {
  for (const root of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(root?.getFields() ?? {})) {
      field.extensions = { ...field.extensions, declaredType: field.type };
      field.type = getNullableType(field.type);
    }
  }
}

/** Returns the type that a field's resolver declares. */
export const declaredType = ({
  type,
  extensions,
}: Pick<GraphQLField<unknown, unknown>, "type" | "extensions">): GraphQLOutputType =>
  (extensions.declaredType as GraphQLOutputType | undefined) ?? type;

/** True if a field is null only when it has failed. */
export const isSemanticNonNull = (field: GraphQLField<unknown, unknown>): boolean =>
  !isNonNullType(field.type) && isNonNullType(declaredType(field));
