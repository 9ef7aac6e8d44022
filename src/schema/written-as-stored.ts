import { Extensions } from "type-graphql";

/**
 * Marks a field whose object has a property of the same name, a `StoredJson` with the field's members in the order of
 * REST's selection and without nulls: REST answers with its text.
 */
export const WrittenAsStored = (): MethodDecorator => Extensions({ isWrittenAsStored: true });

/** True if a field is marked with `@WrittenAsStored`. */
export const isWrittenAsStored = ({
  extensions,
}: {
  extensions: Readonly<Record<string, unknown>>;
}): boolean => extensions.isWrittenAsStored === true;
