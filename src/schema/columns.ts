import { Field, GraphQLISODateTime, ID } from "type-graphql";
import { Column } from "typeorm";
import { applyDecorators } from "../common/apply-decorators";
import { Nullable } from "../common/nullable";
import { Uuid } from "../common/uuid";
import { TIMESTAMP_COLUMN, UUID_COLUMN } from "../database/columns";

/** Declares a field and a column for an ID. */
export const IdColumn = (description: string): PropertyDecorator =>
  applyDecorators(
    Field(() => ID, { description }),
    Uuid,
    Column(UUID_COLUMN),
  );

/** Declares a field and a column for an ID that may be null. */
export const NullableId = (description: string): PropertyDecorator =>
  applyDecorators(
    Nullable(() => ID, description),
    Column({ ...UUID_COLUMN, nullable: true }),
  );

/** Declares a field and a column for a time. */
export const TimeColumn = (description: string): PropertyDecorator =>
  applyDecorators(
    Field(() => GraphQLISODateTime, { description }),
    Column(TIMESTAMP_COLUMN),
  );

/** Declares a field and a column for a time that may be null. */
export const NullableTime = (description: string): PropertyDecorator =>
  applyDecorators(
    Nullable(() => GraphQLISODateTime, description),
    Column({ ...TIMESTAMP_COLUMN, nullable: true }),
  );
