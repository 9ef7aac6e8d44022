import { type GraphQLEnumType, type GraphQLSchema, isEnumType, isIntrospectionType } from "graphql";
import { enumName } from "../common/declared-enum";

/** The names under which values that an enum does not declare were served. */
const newer = new WeakMap<GraphQLEnumType, Map<string, string>>();

/**
 * Serves values of enums that this version does not declare under the name that a declaration would give them. During an
 * upgrade, a newer version stores such values, and one of them must not fail the page that it is on. Clients that expect
 * values of later versions can handle them. Arguments take only declared values.
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

/** The value that an enum served under a name; undefined if it served none. */
export const valueServedAs = (type: GraphQLEnumType, name: string): string | undefined =>
  type.getValue(name)?.value ?? newer.get(type)?.get(name);
