import { z } from "zod";
import { canonicalLocale, LOCALE_MAX_LENGTH } from "../../../common/locales";
import { TAG_MAX_LENGTH } from "../../contacts/contact.limits";
import { NAME_MAX_LENGTH, SITUATION_TYPE_MAX_LENGTH } from "../configuration.limits";

/** Declares a member that may be omitted. */
export const optional = <Format extends z.ZodType>(format: Format, description: string) =>
  format.describe(description).optional();

/** Creates a format for strings that are not empty. */
export const nonEmpty = (maxLength: number) => z.string().min(1).max(maxLength);

/** Creates a format for strings that match a pattern; `expected` describes the pattern in problem messages. */
export const matching = (pattern: RegExp, maxLength: number, expected: string) =>
  z.string().max(maxLength).regex(pattern, `must be ${expected}`);

const name = matching(
  /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/,
  NAME_MAX_LENGTH,
  "a name of a-z and 0-9, with single . _ - between them",
);

// Each kind of name has its own definition in the JSON Schema, so that editors can find and rename its uses.
export const templateName = name.meta({ id: "template-name" });
export const topicName = name.meta({ id: "topic-name" });
export const ruleId = name.meta({ id: "rule-id" });
export const ruleGroup = name.meta({ id: "rule-group" });
export const testId = name.meta({ id: "test-id" });

export const SITUATION_TYPE = /^[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*$/;

export const situationType = matching(
  SITUATION_TYPE,
  SITUATION_TYPE_MAX_LENGTH,
  "a name of a-z and 0-9, with single . _ - between them, that starts with a letter",
).meta({ id: "situation-type" });

/** The name of a member in a situation's data. */
export const member = matching(
  /^[A-Za-z][A-Za-z0-9_]*$/,
  NAME_MAX_LENGTH,
  "a name of letters, digits and _ that starts with a letter",
);

export const line = matching(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, NAME_MAX_LENGTH, "the name of a line");

export const tag = matching(/^[a-z0-9][a-z0-9._:-]*$/, TAG_MAX_LENGTH, "a tag in lower case");

export const locale = z
  .string()
  .max(LOCALE_MAX_LENGTH)
  .refine(
    (value) => canonicalLocale(value) !== undefined,
    "must be the BCP 47 tag of a known language, such as de-CH",
  );
