import { Extensions } from "type-graphql";

/**
 * Marks a field whose object has a `StoredJson` property of the same name; REST sends the property's text unchanged.
 * The text must contain the field's members in the order of REST's selection, without nulls.
 */
export const WrittenAsStored = (): MethodDecorator => Extensions({ isWrittenAsStored: true });

/** True if a field is marked with `@WrittenAsStored`. */
export const isWrittenAsStored = (field: { extensions: Readonly<Record<string, unknown>> }): boolean =>
  field.extensions.isWrittenAsStored === true;
