import { type GraphQLEnumType, type GraphQLSchema, isEnumType, isIntrospectionType } from "graphql";
import { enumName } from "../common/declared-enum";

/** The undeclared values that each enum has served, by name. */
const newer = new WeakMap<GraphQLEnumType, Map<string, string>>();

/**
 * Serves enum values that this version does not declare, under the names that a declaration would give them.
 * During an upgrade, a newer version may store such values, and a page that contains one must not fail.
 * Clients must expect values from later versions in any case. Arguments accept only declared values.
 */
export function serveNewerValues(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isEnumType(type) || isIntrospectionType(type)) continue;
    const declared = new Map<unknown, string>(type.getValues().map(({ name, value }) => [value, name]));
    const names = new Map<string, string>();
    newer.set(type, names);
    const serialize = type.serialize.bind(type);
    type.serialize = (value) => {
      const known = declared.get(value);
      if (known !== undefined) return known;
      if (typeof value !== "string" || !/^[a-z][\w.:-]{0,63}$/i.test(value)) return serialize(value);
      const name = enumName(value);
      names.set(name, value);
      return name;
    };
  }
}

/** Returns the value that an enum declares, or has served, under a name; undefined if there is no such value. */
export const valueServedAs = (type: GraphQLEnumType, name: string): string | undefined =>
  type.getValue(name)?.value ?? newer.get(type)?.get(name);
