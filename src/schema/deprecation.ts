import { type GraphQLSchema, isEnumType, isInputObjectType, isInterfaceType, isObjectType } from "graphql";
import type { Caller } from "../auth/caller";

/** A deprecation in the APIs: its start date, removal date and replacement. */
export interface Deprecation {
  since: Date;
  sunset: Date;
  /** Path of the replacement. */
  successor: string;
  /** Deprecation reason in the GraphQL schema. */
  reason: string;
}

/** Counts a caller's uses of deprecated parts, by their declared names. */
export type CountDeprecated = (caller: Caller, names: readonly string[]) => void;

const declared = new Map<string, Deprecation>();

/** Names of all deprecated parts. */
export const DEPRECATED_NAMES: string[] = [];

/**
 * Declares deprecated parts of the APIs by name: a route, or a schema coordinate such as `Query.pet`,
 * `Query.pets(status:)`, `NewPet.name` or `PetStatus.sold`.
 * @throws Error if a name is declared twice
 */
export function declareDeprecations(deprecations: Readonly<Record<string, Deprecation>>): void {
  for (const [name, deprecation] of Object.entries(deprecations)) {
    if (declared.has(name)) throw new Error(`The deprecation of ${name} is declared twice.`);
    declared.set(name, deprecation);
    DEPRECATED_NAMES.push(name);
  }
}

/** Returns the deprecation of a part; undefined if it is not deprecated. */
export const deprecationOf = (name: string): Deprecation | undefined => declared.get(name);

/** A part of the schema that can be deprecated: a field, argument, input field or enum value. */
interface SchemaPart {
  deprecationReason?: string | null | undefined;
}

/** Names of deprecated schema parts. */
const names = new WeakMap<SchemaPart, string>();

/** Returns the name of a deprecated schema part; undefined if the part is not deprecated. */
export const deprecatedName = (part: SchemaPart | null | undefined): string | undefined =>
  part ? names.get(part) : undefined;

/** Deprecates the declared parts of a schema; throws an Error if one does not exist, or is not declared. */
export function deprecate(
  schema: GraphQLSchema,
  deprecations: ReadonlyMap<string, Deprecation> = declared,
): void {
  // Excludes routes, whose names contain a space.
  const missing = new Set([...deprecations.keys()].filter((name) => !name.includes(" ")));
  for (const [name, part] of partsOf(schema)) {
    const deprecation = deprecations.get(name);
    if (part.deprecationReason != null)
      throw new Error(`${name} must be deprecated by the declaration of its feature.`);
    if (deprecation === undefined) continue;
    missing.delete(name);
    part.deprecationReason = deprecation.reason;
    names.set(part, name);
  }
  if (missing.size > 0) throw new Error(`These deprecated parts do not exist: ${[...missing].join(", ")}.`);
}

/** Yields the parts of a schema that can be deprecated, by their coordinates. */
function* partsOf(schema: GraphQLSchema): Generator<[name: string, SchemaPart]> {
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith("__")) continue;
    if (isEnumType(type)) for (const value of type.getValues()) yield [`${type.name}.${value.name}`, value];
    if (isInputObjectType(type))
      for (const field of Object.values(type.getFields())) yield [`${type.name}.${field.name}`, field];
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      yield [`${type.name}.${field.name}`, field];
      for (const arg of field.args) yield [`${type.name}.${field.name}(${arg.name}:)`, arg];
    }
  }
}
