import { type GraphQLSchema, lexicographicSortSchema, printSchema } from "graphql";
import { buildSchemaSync, type ClassType, type NonEmptyArray } from "type-graphql";
import { createResolvers, type Services } from "../features";
import { authChecker } from "../schema/access";
import { validateArgument } from "./validate-argument";

/**
 * Builds the one schema that both APIs run on.
 * @param resolvers the instances to run; left out where only the form of the schema is wanted
 */
export function createSchema(resolvers = createResolvers({} as Services)): GraphQLSchema {
  return buildSchemaSync({
    resolvers: resolvers.map((resolver) => resolver.constructor) as unknown as NonEmptyArray<ClassType>,
    container: { get: (type) => resolvers.find((resolver) => resolver.constructor === type) },
    authChecker,
    validateFn: validateArgument,
  });
}

/** The schema in GraphQL's definition language, sorted, as it is committed in schema.graphql. */
export const printSorted = (schema: GraphQLSchema): string =>
  `${printSchema(lexicographicSortSchema(schema))}\n`;
