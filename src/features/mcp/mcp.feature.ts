import { feature } from "../../schema/feature";
import { mcpScopes } from "./mcp.scopes";

declare module "../../auth/permissions" {
  interface Scopes extends Record<keyof typeof mcpScopes, string> {}
}

/** The scope for Model Context Protocol tools that have no REST route. */
export const mcp = feature({
  entities: [],
  services: () => ({}),
  resolvers: () => [],
  scopes: mcpScopes,
});
