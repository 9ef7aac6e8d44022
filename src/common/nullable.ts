import { Field } from "type-graphql";
import { applyDecorators } from "./apply-decorators";
import { IsOptional, ValidateIf } from "./validators";

type Type = Parameters<typeof Field>[0];

/** Declares a field that may be null. */
export const Nullable = (type: Type, description: string): PropertyDecorator =>
  Field(type, { nullable: true, description });

/** An input field that may be null or omitted; if it is, its other checks are skipped. */
export const Optional = (type: Type, description: string): PropertyDecorator =>
  applyDecorators(Nullable(type, description), IsOptional());

/** An input field that may be omitted, but not null; if it is omitted, its other checks are skipped. */
export const Omittable = (type: Type, description: string): PropertyDecorator =>
  applyDecorators(
    Nullable(type, description),
    ValidateIf((_, value) => value !== undefined),
  );
