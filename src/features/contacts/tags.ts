import { applyDecorators } from "../../common/apply-decorators";
import { Checked } from "../../common/checked";
import { JsonSchema } from "../../common/json-schema";
import { ValidateBy } from "../../common/validators";
import { MAX_LISTED, TAG_MAX_LENGTH } from "./contact.limits";

/** A tag as sent by clients; stored in lowercase. */
const TAG = new RegExp(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,${TAG_MAX_LENGTH - 1}}$`);

export const normalizeTag = (tag: string): string => tag.toLowerCase();

const isTag = (value: unknown): value is string => typeof value === "string" && TAG.test(value);

const TAG_FORM = `1 to ${TAG_MAX_LENGTH} characters (a-z, 0-9 and ._:-), starting with a letter or digit`;

const check = (tag: unknown) => (isTag(tag) ? undefined : `must have ${TAG_FORM}`);
const RULE = { minLength: 1, maxLength: TAG_MAX_LENGTH, pattern: TAG.source };

/** Validates that the property is a tag. */
export const IsTag = (): PropertyDecorator => Checked("isTag", check, RULE);

/** Validates that the property is a list of tags. */
export const AreTags = (): PropertyDecorator =>
  applyDecorators(
    ValidateBy({
      name: "areTags",
      validator: {
        validate: (value) => value == null || problemOf(value) === undefined,
        defaultMessage: (args) => problemOf(args?.value) ?? "",
      },
    }),
    JsonSchema({ ...RULE, maxItems: MAX_LISTED }, check),
  );

function problemOf(value: unknown): string | undefined {
  if (!Array.isArray(value)) return "must be a list of tags";
  if (value.length > MAX_LISTED) return `must have at most ${MAX_LISTED} items`;
  return value.every(isTag) ? undefined : `must contain tags of ${TAG_FORM}`;
}
