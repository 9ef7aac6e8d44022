import { Field } from "type-graphql";
import { applyDecorators } from "./apply-decorators";
import { IsOptional, ValidateIf } from "./validators";

type Type = Parameters<typeof Field>[0];

/** Declares a field that may be null. */
export const Nullable = (type: Type, description: string): PropertyDecorator =>
  Field(type, { nullable: true, description });

/** Declares an input field that may be null or omitted; the field's other checks are then skipped. */
export const Optional = (type: Type, description: string): PropertyDecorator =>
  applyDecorators(Nullable(type, description), IsOptional());

/** Declares an input field that may be omitted, but not null; an omitted field's other checks are skipped. */
export const Omittable = (type: Type, description: string): PropertyDecorator =>
  applyDecorators(
    Nullable(type, description),
    ValidateIf((_, value) => value !== undefined),
  );
