import { Satisfies } from "./validators";

/** Validates a slug: 1 to 63 of a-z, 0-9 and hyphens; no leading, trailing or consecutive hyphens. */
export const IsSlug = (): PropertyDecorator =>
  Satisfies(
    "isSlug",
    (value) => typeof value === "string" && value.length <= 63 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(value),
    "must be 1 to 63 characters (a-z, 0-9 and hyphens), without leading, trailing or consecutive hyphens",
  );
