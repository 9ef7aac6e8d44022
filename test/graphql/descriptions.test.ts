import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from "graphql";
import { createSchema } from "../../src/graphql/schema";

interface Described {
  description?: string | null | undefined;
}

/** Every part of the schema that a client can see, by its coordinate. */
function parts(): [coordinate: string, part: Described][] {
  const schema = createSchema();
  const own = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  return own.flatMap((type) => {
    const found: [string, Described][] = roots.some((root) => root === type) ? [] : [[type.name, type]];
    if (isObjectType(type) || isInterfaceType(type)) {
      for (const field of Object.values(type.getFields())) {
        found.push([`${type.name}.${field.name}`, field]);
        for (const arg of field.args) found.push([`${type.name}.${field.name}(${arg.name}:)`, arg]);
      }
    }
    if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) found.push([`${type.name}.${field.name}`, field]);
    }
    if (isEnumType(type)) {
      for (const value of type.getValues()) found.push([`${type.name}.${value.name}`, value]);
    }
    return found;
  });
}

test("every type, field, argument, input field and enum value says what it is", () => {
  const all = parts();
  expect(all.length).toBeGreaterThan(100);
  expect(all.filter(([, { description }]) => !description?.trim()).map(([at]) => at)).toEqual([]);
});
