import type { GraphQLField } from "graphql";
import { Extensions } from "type-graphql";

/**
 * Declares that the result of a field of Query depends on its arguments and the rows alone, so that allowed callers who
 * ask for the same concurrently may share one run.
 */
export const CallerIndependent = (): MethodDecorator => (target, property, descriptor) =>
  Extensions({ callerIndependent: true })(target, property, descriptor);

/** Whether a field was declared so. */
export const isCallerIndependent = (field: GraphQLField<unknown, unknown>): boolean =>
  field.extensions.callerIndependent === true;
