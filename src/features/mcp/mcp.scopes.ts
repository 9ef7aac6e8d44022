export const mcpScopes = {
  "mcp:graphql":
    "Search the GraphQL schema and run documents through MCP. Each field also needs its own scope.",
};
