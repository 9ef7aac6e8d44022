import type { GraphQLField } from "graphql";
import { Extensions } from "type-graphql";

/** Marks a field that may read many rows with `Database.report`; operations may select only a few of them. */
export const Report = (): MethodDecorator & PropertyDecorator => Extensions({ isReport: true });

/** True if a field is marked with `@Report`. */
export const isReport = (field: GraphQLField<unknown, unknown> | undefined): boolean =>
  field?.extensions.isReport === true;
