import type { JsonSchema } from "../json-value";

/** The reusable schemas of the document. */
export class Schemas {
  private readonly all = new Map<string, JsonSchema>();

  /**
   * Creates a function that registers the schemas of an operation. A schema is named after its GraphQL type, prefixed
   * with the operation's ID if another operation selects different fields of the type.
   */
  definer(operationId: string): (name: string, schema: JsonSchema) => JsonSchema {
    const owner = capitalized(operationId);
    return (name, schema) => {
      const free = [name, `${owner}${name}`].find((each) => this.isFree(each, schema));
      if (free === undefined) throw new Error(`it has two schemas of ${name}`);
      this.all.set(free, schema);
      return { $ref: `#/components/schemas/${free}` };
    };
  }

  private isFree(name: string, schema: JsonSchema): boolean {
    const taken = this.all.get(name);
    return taken === undefined || JSON.stringify(taken) === JSON.stringify(schema);
  }

  toJSON(): Record<string, JsonSchema> {
    return Object.fromEntries(this.all);
  }
}

const capitalized = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
