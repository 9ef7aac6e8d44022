/** API documentation pages served by this server. */
export const HELP = [
  { href: "/docs", title: "API reference" },
  { href: "/graphiql", title: "GraphiQL" },
  { href: "/openapi.json", title: "OpenAPI" },
  { href: "/changelog", title: "Changelog" },
] as const;
