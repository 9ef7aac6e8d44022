import type { Timestamp } from "../common/time";
import type { KeyScope, OrganizationScope, Permission, Scope } from "./permissions";

/** The authenticated caller of a request. A bearer token is an API key or a member's session token. */
export type Caller = Anonymous | KeyCaller | MemberCaller | Operator | System;

/** A caller that presented an API key. */
export type KeyCaller = AgentCaller | OrganizationKeyCaller;

export interface Anonymous {
  kind: "anonymous";
  /** True if the request carried the cookie of an ended session; such a caller can only sign in again. */
  sessionEnded?: true;
}

/** A client with an agent key, which acts as the agent that the key resolves to. */
export interface AgentCaller {
  kind: "agent";
  key: CallerKey<Scope>;
  agent: CallerAgent;
  organization: CallerOrganization;
}

/** A client with an organization key, which manages the organization within the key's scopes. */
export interface OrganizationKeyCaller {
  kind: "organizationKey";
  key: CallerKey<OrganizationScope>;
  organization: CallerOrganization;
}

/** A signed-in person. */
export interface MemberCaller {
  kind: "member";
  id: string;
  email: string;
  permissions: readonly Permission[];
  sessionId: string;
  /** When the member last authenticated in this session. */
  signedInAt: Timestamp;
  organization: CallerOrganization;
}

/** A person at the server's command line, acting for one organization. Never the caller of a request. */
export interface Operator {
  kind: "operator";
  organization: CallerOrganization;
}

/** The gateway itself, acting for one organization. Never the caller of a request. */
export interface System {
  kind: "system";
  organization: CallerOrganization;
}

/** The API key that a caller presented. */
export interface CallerKey<Name extends KeyScope = KeyScope> {
  id: string;
  name: string;
  hint: string;
  createdAt: Timestamp;
  /** All of the key's scopes; an agent key without a list of scopes has every scope that this version knows. */
  scopes: readonly Name[];
  /** Max requests per minute; null if the server's limit applies. */
  rateLimitPerMinute: number | null;
  /** Networks in CIDR notation that may use the key; null if any network may. */
  allowedNetworks: readonly string[] | null;
}

/** The agent that a key resolves to. */
export interface CallerAgent {
  id: string;
  slug: string;
  name: string;
}

/** The organization on whose behalf a caller acts. */
export interface CallerOrganization {
  id: string;
  slug: string;
  name: string;
  createdAt: Timestamp;
  deactivatedAt: Timestamp | null;
}

/** Returns the ID of the organization on whose behalf a caller acts; undefined for an anonymous caller. */
export const ownerOf = (caller: Caller): string | undefined =>
  caller.kind === "anonymous" ? undefined : caller.organization.id;

/** Returns the API key that a caller presented; undefined for other callers. */
export const keyOf = (caller: Caller): CallerKey | undefined => ("key" in caller ? caller.key : undefined);

/** The origin of a request as recorded in the audit log; all fields are null for the command line. */
export interface Origin {
  ip: string | null;
  userAgent: string | null;
  requestId: string | null;
}
