import { z } from "zod";
import { NAME_MAX_LENGTH } from "../configuration.limits";

/** A text that matches a pattern; `expected` describes it in the problem of any other text. */
export const matching = (pattern: RegExp, maxLength: number, expected: string) =>
  z.string().max(maxLength).regex(pattern, `must be ${expected}`);

/** The name of a part of a document. */
export const name = matching(
  /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/,
  NAME_MAX_LENGTH,
  "a-z, 0-9 and single . _ - between them",
);
