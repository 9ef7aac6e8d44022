import { SCOPES, type Scope } from "../../auth/permissions";

/** Path of the pages between an authorization request and its consent. */
export const INTERACTION_PATH = "/oauth/request";

/** A protected resource (RFC 8707, RFC 9728). */
export interface Resource {
  path: "/mcp" | "/mcp/readonly";
  uri: string;
  scopes: readonly Scope[];
}

const READING = () => SCOPES.filter((scope) => /:(read|export)$/.test(scope));

/** Returns the resources that access tokens can be issued for; the second one is the read-only subset of the first. */
export const resourcesOf = (baseUrl: string): Resource[] => [
  { path: "/mcp", uri: `${baseUrl}/mcp`, scopes: SCOPES },
  { path: "/mcp/readonly", uri: `${baseUrl}/mcp/readonly`, scopes: READING() },
];

/** Returns the known scopes in a `scope` parameter, in display order. */
export const scopesOf = (parameter: string): Scope[] => {
  const names = new Set(parameter.split(" "));
  return SCOPES.filter((scope) => names.has(scope));
};

/** Path of a resource's metadata (RFC 9728, 3.1). */
export const METADATA_PATH = "/.well-known/oauth-protected-resource";
