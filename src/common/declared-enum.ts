import { registerEnumType } from "type-graphql";

/** A schema enum whose values are declared one by one; in GraphQL, their names have underscores for punctuation. */
export class DeclaredEnum<Value extends string> {
  /** The values by name, which TypeGraphQL reads when it builds the schema. */
  readonly values: Record<string, Value> = {};
  private readonly valuesConfig: Record<string, { description: string }> = {};

  constructor(
    private readonly name: string,
    description: string,
  ) {
    registerEnumType(this.values, { name, description, valuesConfig: this.valuesConfig });
  }

  /** @throws Error if the value or its name in GraphQL is taken */
  add(value: Value, description: string): void {
    const name = enumName(value);
    if (Object.hasOwn(this.values, name)) throw new Error(`${this.name}.${name} is declared twice.`);
    this.values[name] = value;
    const isSame = name === value;
    const text = `\`${value}\`: ${description.charAt(0).toLowerCase()}${description.slice(1)}`;
    this.valuesConfig[name] = { description: isSame ? description : text };
  }
}

/** Returns the GraphQL name of a value. */
export const enumName = (value: string): string => value.replace(/\W/g, "_");

type EnumValues<Value extends string> = {
  readonly [Each in Value as Each extends `${infer Object}:${infer Verb}` ? `${Object}_${Verb}` : Each]: Each;
};

/** Registers a schema enum for a fixed set of strings with descriptions, and returns them by name. */
export function enumOf<const Value extends string>(
  name: string,
  description: string,
  declared: Readonly<Record<Value, string>>,
): EnumValues<Value> {
  const all = new DeclaredEnum<Value>(name, description);
  for (const value of Object.keys(declared) as Value[]) all.add(value, declared[value]);
  return all.values as EnumValues<Value>;
}
