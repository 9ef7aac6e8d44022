import { Field } from "type-graphql";
import { IsOptional } from "./validators";

type Type = Parameters<typeof Field>[0];

/** A field that may be null. */
export const Nullable = (type: Type, description: string): PropertyDecorator =>
  Field(type, { nullable: true, description });

/** A field of an input that may be null or omitted, which skips its other checks. */
export function Optional(type: Type, description: string): PropertyDecorator {
  return (target, name) => {
    Nullable(type, description)(target, name);
    IsOptional()(target, name);
  };
}
