import graphql from "@graphql-eslint/eslint-plugin";

const { "flat/schema-recommended": recommended, "flat/schema-relay": relay } = graphql.configs;
const [severity, { EnumValueDefinition: _, ...styles }] =
  recommended.rules["@graphql-eslint/naming-convention"];

/** The rules of graphql-eslint for schemas; docs/graphql.md explains the omissions. */
export const SCHEMA_RULES = {
  files: ["**/*.graphql"],
  languageOptions: {
    parser: graphql.parser,
    parserOptions: { graphQLConfig: { schema: "schema.graphql" } },
  },
  plugins: { "@graphql-eslint": graphql },
  rules: {
    ...recommended.rules,
    ...relay.rules,
    // Enum values are spelled as in REST, webhooks and the database.
    "@graphql-eslint/naming-convention": [severity, styles],
    // Objects without an identity, such as edges and explanations, have no ID.
    "@graphql-eslint/strict-id-in-types": "off",
    // Lists page forward only.
    "@graphql-eslint/relay-arguments": ["error", { includeBoth: false }],
    // Connections have `nodes`, short lists are returned whole, and there is no `node(id:)`.
    "@graphql-eslint/relay-edge-types": [
      "error",
      { withEdgeSuffix: true, shouldImplementNode: false, listTypeCanWrapOnlyEdgeType: false },
    ],
  },
};
