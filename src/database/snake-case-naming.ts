import { DefaultNamingStrategy } from "typeorm";

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Maps `createdAt` in code to `created_at` in the database, so that handwritten SQL needs no quotes. */
export class SnakeCaseNaming extends DefaultNamingStrategy {
  override tableName(className: string, customName?: string): string {
    return customName ?? snake(className).replace(/^_/, "");
  }

  override columnName(property: string, customName: string | undefined, prefixes: string[]): string {
    return snake([...prefixes, customName ?? property].join("_"));
  }

  override joinColumnName(relation: string, referencedColumn: string): string {
    return snake(`${relation}_${referencedColumn}`);
  }
}
