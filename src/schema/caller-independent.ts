import type { GraphQLField } from "graphql";
import { Extensions } from "type-graphql";

/**
 * Declares that the result of a query field does not depend on its caller, so that concurrent identical calls share one
 * execution.
 */
export const CallerIndependent = (): MethodDecorator => (target, property, descriptor) =>
  Extensions({ callerIndependent: true })(target, property, descriptor);

/** Whether a field is declared `@CallerIndependent`. */
export const isCallerIndependent = (field: GraphQLField<unknown, unknown>): boolean =>
  field.extensions.callerIndependent === true;
