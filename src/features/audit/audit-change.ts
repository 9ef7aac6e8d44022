import { Field, ObjectType } from "type-graphql";
import { Nullable } from "../../common/nullable";
import { MaxCharacters } from "../../schema/list-size";

/** Max length of a value, which equals the max length of a URL. */
const VALUE_MAX_LENGTH = 2_048;

@ObjectType({ description: "A field that an action changed." })
export class AuditChange {
  @Field(() => String, { description: "Name of the field, such as `name` or `permissions`." })
  field!: string;

  @Nullable(() => String, "The previous value, or null if the field had none.")
  @MaxCharacters(VALUE_MAX_LENGTH)
  before!: string | null;

  @Nullable(() => String, "The new value, or null if the field has none.")
  @MaxCharacters(VALUE_MAX_LENGTH)
  after!: string | null;
}

/** Max fields changed by one action. */
export const MAX_CHANGES = 10;

type Value = string | readonly string[] | null;

/** Fields that an action may have changed, with their previous and new values. */
export type Changes = Readonly<Record<string, readonly [before: Value, after: Value]>>;

/** @returns the fields whose values differ; lists are converted to text, and empty lists to null */
export const changesOf = (changes: Changes): AuditChange[] =>
  Object.entries(changes)
    .map(([field, [before, after]]) => ({ field, before: asText(before), after: asText(after) }))
    .filter(({ before, after }) => before !== after);

const asText = (value: Value): string | null =>
  value === null || typeof value === "string" ? value : value.join(", ") || null;
