import { Field } from "type-graphql";
import { applyDecorators } from "./apply-decorators";
import { IsOptional } from "./validators";

type Type = Parameters<typeof Field>[0];

/** Declares a field that may be null. */
export const Nullable = (type: Type, description: string): PropertyDecorator =>
  Field(type, { nullable: true, description });

/** An input field that may be null or omitted; if it is, its other checks are skipped. */
export const Optional = (type: Type, description: string): PropertyDecorator =>
  applyDecorators(Nullable(type, description), IsOptional());
