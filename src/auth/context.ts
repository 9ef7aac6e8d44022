import type { Timestamp } from "../common/time";
import { isApiKey } from "../credentials/token-format";
import { type ErrorCode, GatewayError } from "../errors";
import type { AgentCaller, Caller, CallerOrganization, MemberCaller, Operator, Origin } from "./caller";

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
export const operatorFor = (organization: CallerOrganization): RequestContext & { caller: Operator } => ({
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

/** Finds the caller behind one kind of credential. */
export interface CredentialResolver<C extends Caller> {
  /**
   * The caller behind a token, read from the database now.
   * @param options.again whether the same request was accepted before, so that it is not counted twice
   * @throws GatewayError for a credential that is not accepted
   */
  resolve(token: string, origin: Origin, options?: { again?: boolean }): Promise<C>;
}

/**
 * Makes the function that turns a request into its context, for both APIs. It reads the database each time:
 * a key that was revoked before the request arrived never passes.
 * @param countKeyCheck counts the outcomes of checks of API keys
 */
export function createContextFactory(
  keys: CredentialResolver<AgentCaller>,
  sessions: CredentialResolver<MemberCaller>,
  countKeyCheck: (outcome: "accepted" | ErrorCode) => void,
) {
  const resolveKey = async (token: string, origin: Origin, again: boolean): Promise<Caller> => {
    try {
      const caller = await keys.resolve(token, origin, { again });
      if (!again) countKeyCheck("accepted");
      return caller;
    } catch (error) {
      countKeyCheck(error instanceof GatewayError ? error.code : "internal_error");
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
  sessions: CredentialResolver<MemberCaller>,
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

/** The caller as the member that it must be. @throws GatewayError `forbidden` */
export function memberCaller({ caller }: RequestContext): MemberCaller {
  if (caller.kind !== "member") throw new GatewayError("forbidden");
  return caller;
}

/** The cookie to put a session into. @throws GatewayError `forbidden` for a page of another origin */
export function cookieOf({ cookie }: RequestContext): SessionCookie {
  if (cookie === undefined) {
    throw new GatewayError("forbidden", "Only pages of this service can keep a session in a cookie.");
  }
  return cookie;
}
