import { ValidateBy } from "./validators";

/** Requires the property to be a slug: 1 to 63 characters of a-z, 0-9 and single hyphens between them. */
export const IsSlug = (): PropertyDecorator =>
  ValidateBy({
    name: "isSlug",
    validator: {
      validate: (value) =>
        typeof value === "string" && value.length <= 63 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(value),
      defaultMessage: () => "must be 1 to 63 of the characters a-z and 0-9, with single hyphens between them",
    },
  });
