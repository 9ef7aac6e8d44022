import { registerEnumType } from "type-graphql";

/**
 * An enum of the schema whose values are declared one by one, such as `pets:read` by a feature. Its names in GraphQL have
 * underscores in place of punctuation.
 */
export class DeclaredEnum<Value extends string> {
  /** The values by name, which TypeGraphQL reads when it builds the schema. */
  readonly values: Record<string, Value> = {};
  private readonly valuesConfig: Record<string, { description: string }> = {};

  constructor(name: string, description: string) {
    registerEnumType(this.values, { name, description, valuesConfig: this.valuesConfig });
  }

  /** @param description a sentence */
  add(value: Value, description: string): void {
    const name = value.replace(/\W/g, "_");
    this.values[name] = value;
    const isSame = name === value;
    const text = `\`${value}\`: ${description.charAt(0).toLowerCase()}${description.slice(1)}`;
    this.valuesConfig[name] = { description: isSame ? description : text };
  }
}

/** Registers an enum of the schema for a closed set of texts, each with its description. */
export function enumOf<Value extends string>(
  name: string,
  description: string,
  declared: Readonly<Record<Value, string>>,
): Record<string, Value> {
  const all = new DeclaredEnum<Value>(name, description);
  for (const value of Object.keys(declared) as Value[]) all.add(value, declared[value]);
  return all.values;
}
