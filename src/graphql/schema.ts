import { type GraphQLSchema, Kind, lexicographicSortSchema, printSchema, specifiedDirectives } from "graphql";
import {
  buildSchemaSync,
  type ClassType,
  GraphQLISODateTime,
  getMetadataStorage,
  type NonEmptyArray,
  type ResolverData,
} from "type-graphql";
import type { RequestContext } from "../auth/context";
import { instantOf } from "../common/instant";
import { isTimestamp } from "../common/time";
import { resolverClasses } from "../features";
import { enforceAccess } from "../schema/access";
import { declareColumnLengths } from "../schema/column-lengths";
import { deprecate } from "../schema/deprecation";
import { inheritExtensions } from "../schema/inherited-fields";
import { serveNewerValues } from "../schema/newer-values";
import { isSemanticNonNull, makeRootFieldsNullable, SEMANTIC_NON_NULL } from "../schema/nullable-root-fields";
import { markOneOf } from "../schema/one-of";
import { NO_PUB_SUB, openByMethod } from "../schema/subscriptions";
import { validateArgument } from "./validate-argument";

let shared: GraphQLSchema | undefined;

/**
 * Returns the schema of all APIs, built once, or a separate one; executions take resolvers from their context.
 * @throws Error if a root field does not declare its allowed callers
 */
export function createSchema(resolvers?: readonly ClassType[]): GraphQLSchema {
  if (resolvers !== undefined) return buildSchema(resolvers);
  shared ??= buildSchema(resolverClasses());
  return shared;
}

function buildSchema(resolvers: readonly ClassType[]): GraphQLSchema {
  // TypeGraphQL would add a resolver with middleware to each field, although no type has middleware.
  for (const type of getMetadataStorage().objectTypes) type.simpleResolvers = true;
  const schema = buildSchemaSync({
    resolvers: resolvers as unknown as NonEmptyArray<ClassType>,
    container: { get: (type, { context }: ResolverData<RequestContext>) => context.resolvers?.get(type) },
    validateFn: validateArgument,
    pubSub: NO_PUB_SUB,
    directives: [...specifiedDirectives, SEMANTIC_NON_NULL],
    // Apollo Server validates the schema on startup; this introspection would take another 80 ms.
    skipCheck: true,
  });
  inheritExtensions(schema);
  markOneOf(schema);
  enforceAccess(schema);
  deprecate(schema);
  declareColumnLengths(schema);
  serveNewerValues(schema);
  makeRootFieldsNullable(schema);
  openByMethod(schema);
  for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()])
    if (root) root.description = DESCRIPTIONS[root.name];
  Object.assign(GraphQLISODateTime, {
    description:
      "A date and time with an offset, such as `2026-11-21T06:36:32.978Z` (RFC 3339), returned in UTC.",
    specifiedByURL: "https://www.rfc-editor.org/rfc/rfc3339",
    serialize: serializeTimestamp,
    parseValue: parseTime,
    parseLiteral: parseTimeLiteral,
  });
  return schema;
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  Query: "Read operations. The fields of a query run concurrently.",
  Mutation: "Write operations. The fields of a mutation run one after another.",
  Subscription: "Streams over a WebSocket. A subscription has one field.",
};

const { serialize, parseValue, parseLiteral } = GraphQLISODateTime;

/** Serializes a Timestamp unchanged; the scalar would parse and reformat it. */
const serializeTimestamp: typeof serialize = (value) => (isTimestamp(value) ? value : serialize(value));

/** Parses all RFC 3339 times; the scalar rejects second 60. */
const parseTime: typeof parseValue = (value) =>
  (typeof value === "string" ? instantOf(value) : undefined) ?? parseValue(value);

/** Parses a literal in a document the way `parseTime` parses a variable. */
const parseTimeLiteral: typeof parseLiteral = (node, variables) =>
  (node.kind === Kind.STRING ? instantOf(node.value) : undefined) ?? parseLiteral(node, variables);

/** Prints the sorted schema in SDL, as committed in schema.graphql. */
export function printSorted(schema: GraphQLSchema): string {
  const sorted = lexicographicSortSchema(schema);
  for (const root of [sorted.getQueryType(), sorted.getMutationType()]) {
    for (const field of Object.values(root?.getFields() ?? {})) {
      if (!isSemanticNonNull(field)) continue;
      // Adds the directive to the type's name, because graphql-js prints only its own directives.
      const text = `${field.type} @${SEMANTIC_NON_NULL.name}`;
      field.type = Object.create(field.type, { toString: { value: () => text } });
    }
  }
  return `${printSchema(sorted)}\n`;
}
