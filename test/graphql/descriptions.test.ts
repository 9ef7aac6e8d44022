import {
  type GraphQLScalarType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from "graphql";
import { createSchema } from "../../src/graphql/schema";

interface Described {
  description?: string | null | undefined;
  defaultValue?: unknown;
  type?: unknown;
}

/** Returns every part of the schema that a client can see, with its coordinate. */
function parts(): [coordinate: string, part: Described][] {
  const schema = createSchema();
  const own = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );
  return own.flatMap((type) => {
    const found: [string, Described][] = [[type.name, type]];
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

test("every type, field, argument, input field and enum value has a description", () => {
  const all = parts();
  expect(all.length).toBeGreaterThan(100);
  expect(all.filter(([, { description }]) => !description?.trim()).map(([at]) => at)).toEqual([]);
});

test("an id identifies its object among all objects of its type, so that caches can use it as a key", () => {
  const ids = Object.values(createSchema().getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => {
      const { id } = type.getFields();
      return id === undefined ? [] : [{ of: type.name, type: String(id.type), description: id.description }];
    });
  expect(ids.length).toBeGreaterThan(20);
  const isIdentifier = ({ type, description }: (typeof ids)[number]) =>
    /^ID!?$/.test(type) && description?.startsWith("Unique identifier");
  expect(ids.filter((each) => !isIdentifier(each)).map(({ of }) => of)).toEqual([]);
});

test("arguments and input fields with a default are never null", () => {
  const withDefault = parts().filter(([, { defaultValue }]) => defaultValue !== undefined);
  expect(withDefault.length).toBeGreaterThan(30);
  expect(withDefault.filter(([, { type }]) => !String(type).endsWith("!")).map(([at]) => at)).toEqual([]);
});

test("every scalar links to the standard for its format", () => {
  const own = Object.values(createSchema().getTypeMap()).filter(
    (type) => isScalarType(type) && !isSpecifiedScalarType(type),
  );
  expect(own.map((type) => [type.name, (type as GraphQLScalarType).specifiedByURL])).toEqual([
    ["DateTimeISO", expect.stringContaining("rfc3339")],
    ["JSONObject", expect.stringContaining("rfc8259")],
    ["JSON", expect.stringContaining("rfc8259")],
  ]);
});
