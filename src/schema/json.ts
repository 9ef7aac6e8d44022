import { GraphQLScalarType } from "graphql";

/** Any JSON value, for outputs only. */
export const GraphQLJson = new GraphQLScalarType<never, unknown>({
  name: "JSON",
  description: "Any JSON value.",
  serialize: (value) => value,
  parseValue: () => {
    throw new TypeError("It is not for inputs.");
  },
});
