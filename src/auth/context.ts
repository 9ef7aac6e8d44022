import type { Timestamp } from "../common/time";
import { isApiKey } from "../credentials/token-format";
import { type ErrorCode, GatewayError, type InvalidInput } from "../errors";
import type {
  AgentCaller,
  Caller,
  CallerOrganization,
  KeyCaller,
  MemberCaller,
  Operator,
  Origin,
  System,
} from "./caller";

/** Reads and writes the cookie that holds a browser's session token. */
export interface SessionCookie {
  /** The token that the browser sent; undefined if the request has an Authorization header. */
  readonly token: string | undefined;
  set(token: string, expiresAt: Timestamp): void;
  /** Deletes the cookie if the browser sent one. */
  clear(): void;
}

/** Properties of the response to a request. */
export interface Answer {
  /** Code of the first error in a GraphQL response, for the log and metrics; set once the response is complete. */
  errorCode?: ErrorCode;
  /** True for the response to a GraphQL query, which contains no secret. */
  isQuery?: boolean;
  /** Name of the GraphQL operation; undefined if the document is invalid. */
  operation?: string;
  /** True if the response replays the response to an earlier request with the same idempotency key. */
  isReplayed?: boolean;
  /** The state of the compiled plan that tried to produce the response; undefined if no plan ran. */
  attempt?: Attempt;
}

/** The state of a compiled plan that failed. */
export interface Attempt {
  /** The mutation's result if its resolver has already run; the resolver must not run twice. */
  change?: unknown;
}

/** The caller and origin of a request; the first argument of every resolver and service method. */
export interface RequestContext {
  caller: Caller;
  origin: Origin;
  /** The session cookie; set only for requests to the GraphQL API from same-origin pages and non-browser clients. */
  cookie?: SessionCookie | undefined;
  /** The schema's resolvers by class; set only for requests. */
  readonly resolvers?: ReadonlyMap<unknown, object> | undefined;
  /** Properties of the response; set only for requests. Apollo copies the context, and the copies share this object. */
  readonly answer?: Answer | undefined;
  /** Runs work that waits in a bounded queue; while it waits, the request does not count toward load shedding. */
  outsideLoad?: (<T>(work: () => Promise<T>) => Promise<T>) | undefined;
  /** True if nested fields that the caller may not read are null instead of errors, as in REST and MCP. */
  omitsForbidden?: boolean | undefined;
  /** The errors of an `@ItemsApart` list's invalid items, by index; only for REST, which replaces them with `{}`. */
  malformed?: ReadonlyMap<number, InvalidInput> | undefined;
  /** Returns true if the client has disconnected, so that long-running work for its response can stop. */
  isGone?: (() => boolean) | undefined;
}

/** Returns the context for a request without a caller, such as a sign-in. */
export const anonymousAt = (origin: Origin): RequestContext => ({ caller: { kind: "anonymous" }, origin });

const NO_ORIGIN: Origin = { ip: null, userAgent: null, requestId: null };

/** Returns the context for the command line and the first start, acting for an organization. */
export const operatorFor = (organization: CallerOrganization): RequestContext & { caller: Operator } => ({
  caller: { kind: "operator", organization },
  origin: NO_ORIGIN,
});

/** Returns the context for actions of the gateway itself, acting for an organization. */
export const systemFor = (organization: CallerOrganization): RequestContext & { caller: System } => ({
  caller: { kind: "system", organization },
  origin: NO_ORIGIN,
});

/**
 * Counts an ended request by its caller, address, operation and outcome.
 * @param operation a name from a bounded list, never text that the client chose
 */
export type CountOperation = (
  context: RequestContext,
  operation: string,
  outcome: "ok" | "aborted" | ErrorCode,
) => void;

/** The part of a request that identifies its caller. */
export interface Credentials {
  /** The `Authorization` header; a request has at most one. */
  authorization: string | undefined;
  cookie?: SessionCookie | undefined;
  origin: Origin;
  outsideLoad?: RequestContext["outsideLoad"];
  isGone?: RequestContext["isGone"];
}

/** Resolves one kind of credential to its caller. */
export interface CredentialResolver<C extends Caller> {
  /** Returns a token's caller, always from the database, or throws; `again` is true for a request already counted. */
  resolve(token: string, origin: Origin, options?: { again?: boolean }): Promise<C>;
}

/**
 * Creates the function that authenticates requests to all APIs. It reads the database each time, so that a key revoked
 * before the request arrived is never accepted.
 * @param resolvers the schema's resolvers by class
 * @param countKeyCheck counts the outcomes of API key checks
 */
export function createContextFactory(
  keys: CredentialResolver<KeyCaller>,
  sessions: CredentialResolver<MemberCaller>,
  resolvers: ReadonlyMap<unknown, object>,
  countKeyCheck: (outcome: "accepted" | ErrorCode) => void,
) {
  /**
   * @param again true if the same request was already accepted before its body arrived, so that it is counted only once
   * @throws GatewayError `invalid_api_key`, `key_expired`, `key_not_resolvable`, `key_revoked`, `address_not_allowed`,
   *   `invalid_session` or `too_many_attempts` for a rejected credential; without one, the caller is `anonymous`
   */
  return async (
    { authorization, cookie, origin, outsideLoad, isGone }: Credentials,
    again = false,
  ): Promise<RequestContext> => {
    const token = bearerToken(authorization);
    const contextOf = (caller: Caller): RequestContext => ({
      caller,
      origin,
      cookie,
      outsideLoad,
      isGone,
      resolvers,
      answer: {},
    });
    if (token === undefined) return contextOf(await cookieCaller(cookie, sessions, origin));
    if (!isApiKey(token)) return contextOf(await sessions.resolve(token, origin));
    try {
      const caller = await keys.resolve(token, origin, { again });
      if (!again) countKeyCheck("accepted");
      return contextOf(caller);
    } catch (error) {
      countKeyCheck(error instanceof GatewayError ? error.code : "internal_error");
      throw error;
    }
  };
}

/** Resolves the session in a cookie; a cookie that has outlived it is cleared, so that it cannot prevent a sign-in. */
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

/** Returns the bearer token (RFC 6750, 2.1); the scheme is case-insensitive (RFC 9110, 11.1). */
function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const credentials = authorization.trim();
  if (!/^bearer +[^\s,]+$/i.test(credentials)) {
    throw new GatewayError(
      "invalid_api_key",
      "The Authorization header must have a single value: Bearer <API_KEY>.",
    );
  }
  return credentials.slice(credentials.lastIndexOf(" ") + 1);
}

/** Returns the organization that the caller acts for. */
export function callerOrganization({ caller }: RequestContext): CallerOrganization {
  if (caller.kind === "anonymous") throw new GatewayError("unauthenticated");
  return caller.organization;
}

/** Returns the ID of the caller's organization; every read and write must be limited to this organization. */
export const organizationOf = (context: RequestContext): string => callerOrganization(context).id;

/** @throws GatewayError `forbidden` unless the caller is an agent */
export function agentCaller({ caller }: RequestContext): AgentCaller {
  if (caller.kind !== "agent") throw new GatewayError("forbidden");
  return caller;
}

/** @throws GatewayError `forbidden` unless the caller presented an API key */
export function keyCaller({ caller }: RequestContext): KeyCaller {
  if (!("key" in caller)) throw new GatewayError("forbidden");
  return caller;
}

/** @throws GatewayError `forbidden` unless the caller is a member */
export function memberCaller({ caller }: RequestContext): MemberCaller {
  if (caller.kind !== "member") throw new GatewayError("forbidden");
  return caller;
}
