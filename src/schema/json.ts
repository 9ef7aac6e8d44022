import { GraphQLScalarType } from "graphql";

/** The JSON standard. */
export const JSON_STANDARD = "https://www.rfc-editor.org/rfc/rfc8259";

/** Any JSON value, for outputs only. */
export const GraphQLJson = new GraphQLScalarType<never, unknown>({
  name: "JSON",
  description: "Any JSON value.",
  specifiedByURL: JSON_STANDARD,
  serialize: (value) => value,
  parseValue: () => {
    throw new TypeError("JSON is not an input type.");
  },
});
