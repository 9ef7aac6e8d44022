import type { Timestamp } from "../common/time";
import { isApiKey } from "../credentials/token-format";
import { GatewayError } from "../errors";
import type { Agent } from "../features/agents/agent.entity";
import type { ApiKeyService } from "../features/api-keys/api-key.service";
import type { ApiKeyIdentity } from "../features/api-keys/identity";
import type { Permission } from "../features/members/member.entity";
import type { SessionService } from "../features/members/session.service";
import type { Organization } from "../features/organizations/organization.entity";
import type { Metrics } from "../telemetry/metrics";

/** Who calls. A bearer token is an agent's API key or a member's session token. */
export type Caller = Anonymous | AgentCaller | MemberCaller | Operator;

export interface Anonymous {
  kind: "anonymous";
  /** Whether a cookie came with a session that is none any more: enough to sign in again, and for nothing else. */
  sessionEnded?: true;
}

/** A system that presented an API key: it acts as the one agent that the key resolves to. */
export interface AgentCaller {
  kind: "agent";
  key: ApiKeyIdentity;
  agent: Pick<Agent, "id" | "slug" | "name">;
  organization: Organization;
}

/** A person who signed in. */
export interface MemberCaller {
  kind: "member";
  id: string;
  email: string;
  permissions: Permission[];
  sessionId: string;
  organization: Organization;
}

/** A person at the server's own command line, acting for one organization. No request can become one. */
export interface Operator {
  kind: "operator";
  organization: Organization;
}

/** Where a request came from, for the audit log; all null for the command line. */
export interface Origin {
  ip: string | null;
  userAgent: string | null;
  requestId: string | null;
}

/** The cookie in which a browser keeps a session token, on the way in and out. */
export interface SessionCookie {
  /** What the browser sent, unless a header says who calls. */
  readonly token: string | undefined;
  set(token: string, expiresAt: Timestamp): void;
  /** Takes it from a browser that sent one. */
  clear(): void;
}

/** What every resolver and service is given first: who calls, and from where. */
export interface RequestContext {
  caller: Caller;
  origin: Origin;
  /** Only where a page of this service, or a program, asks at the GraphQL door. */
  cookie?: SessionCookie | undefined;
  /** Runs work that waits in a bounded queue; meanwhile the request does not count as load that sheds others. */
  outsideLoad?: (<T>(work: () => Promise<T>) => Promise<T>) | undefined;
}

/** The context of one who sits at the command line and acts for an organization; the first start does so too. */
export const operatorFor = (organization: Organization): RequestContext & { caller: Operator } => ({
  caller: { kind: "operator", organization },
  origin: { ip: null, userAgent: null, requestId: null },
});

/** The part of a request that decides who calls. */
export interface Credentials {
  /** The `Authorization` header, of which a request has one at most. */
  authorization: string | undefined;
  cookie?: SessionCookie | undefined;
  origin: Origin;
  outsideLoad?: RequestContext["outsideLoad"];
}

/**
 * Makes the function that turns a request into its context, for both doors. It reads the database each time:
 * a key that was revoked before the request arrived never passes.
 * @param checks counts what becomes of keys
 */
export function createContextFactory(
  keys: ApiKeyService,
  sessions: SessionService,
  checks: Metrics["keyChecks"],
) {
  const resolveKey = async (token: string, origin: Origin, again: boolean): Promise<Caller> => {
    try {
      const caller = await keys.resolve(token, origin, { again });
      if (!again) checks.labels("accepted").inc();
      return caller;
    } catch (error) {
      checks.labels(error instanceof GatewayError ? error.code : "internal_error").inc();
      throw error;
    }
  };

  /**
   * @param again whether the request was accepted before and only its body came later: it counts as one use
   * @throws GatewayError `invalid_api_key`, `key_expired`, `key_not_resolvable`, `key_revoked`, `invalid_session`
   *   or `too_many_attempts` for a credential that is presented and not accepted; no credential is `anonymous`
   */
  return async (
    { authorization, cookie, origin, outsideLoad }: Credentials,
    again = false,
  ): Promise<RequestContext> => {
    const token = bearerToken(authorization);
    if (token === undefined)
      return { caller: await cookieCaller(cookie, sessions, origin), origin, cookie, outsideLoad };
    const caller = isApiKey(token)
      ? await resolveKey(token, origin, again)
      : await sessions.resolve(token, origin);
    return { caller, origin, cookie, outsideLoad };
  };
}

/** A cookie stays when its session ends, so it must not keep its owner from signing in: it is taken away. */
async function cookieCaller(
  cookie: SessionCookie | undefined,
  sessions: SessionService,
  origin: Origin,
): Promise<Caller> {
  if (cookie?.token === undefined) return { kind: "anonymous" };
  try {
    return await sessions.resolve(cookie.token, origin);
  } catch (error) {
    if (!(error instanceof GatewayError && error.code === "invalid_session")) throw error;
    cookie.clear();
    return { kind: "anonymous", sessionEnded: true };
  }
}

/** The bearer token (RFC 6750, 2.1); the scheme's name has no case (RFC 9110, 11.1). */
function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const token = /^bearer +([^\s,]+)$/i.exec(authorization.trim())?.[1];
  if (token === undefined) {
    throw new GatewayError(
      "invalid_api_key",
      "The Authorization header must be one value: Bearer <API_KEY>.",
    );
  }
  return token;
}

/** The organization on whose behalf the caller acts: nothing outside it may be seen or changed. */
export function organizationOf({ caller }: RequestContext): string {
  if (caller.kind === "anonymous") throw new GatewayError("unauthenticated");
  return caller.organization.id;
}

/** The caller as the agent that it must be. @throws GatewayError `forbidden` */
export function agentCaller({ caller }: RequestContext): AgentCaller {
  if (caller.kind !== "agent") throw new GatewayError("forbidden");
  return caller;
}

/** The cookie to put a session into. @throws GatewayError `forbidden` for a page of another origin */
export function cookieOf({ cookie }: RequestContext): SessionCookie {
  if (cookie === undefined) {
    throw new GatewayError("forbidden", "Only pages of this service can keep a session in a cookie.");
  }
  return cookie;
}

/** The caller as the member that it must be. @throws GatewayError `forbidden` */
export function memberCaller({ caller }: RequestContext): MemberCaller {
  if (caller.kind !== "member") throw new GatewayError("forbidden");
  return caller;
}
