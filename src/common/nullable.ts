import { Field } from "type-graphql";
import { IsOptional } from "./validators";

type Type = Parameters<typeof Field>[0];

/** Declares a field that may be null. */
export const Nullable = (type: Type, description: string): PropertyDecorator =>
  Field(type, { nullable: true, description });

/** An input field that may be null or omitted; if it is, its other checks are skipped. */
export function Optional(type: Type, description: string): PropertyDecorator {
  return (target, name) => {
    Nullable(type, description)(target, name);
    IsOptional()(target, name);
  };
}
