import type { JWTPayload } from "jose";
import type { Configuration } from "openid-client";
import { HOUR_MS } from "../../common/time";
import type { Config } from "../../config";
import { boundedFetch } from "../../http/bounded-fetch";
import type { Attempt } from "./attempts";
import { SignInProblem } from "./sign-in-problem";

const RESPONSE_MAX_BYTES = 262_144;

const TIMEOUT_MS = 5_000;

/** Min delay after a failure before the next attempt to read the issuer's configuration (ms). */
const RETRY_INTERVAL_MS = 5_000;

/** Min time between requests for the issuer's keys (ms); any token with an unknown key ID triggers a request. */
const KEYS_INTERVAL_MS = 60_000;

const LOGOUT_MAX_AGE_SECONDS = 300;

const CLOCK_TOLERANCE_SECONDS = 60;

const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";

/** Accepted signature algorithms, all of them asymmetric. */
const ALGORITHMS = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

type Library = typeof import("openid-client");
type Keys = ReturnType<typeof import("jose").createRemoteJWKSet>;

class IssuerDown extends Error {}

/** Claims about the person who signed in, from an ID token with a valid signature and audience. */
export interface Claims {
  readonly iss: string;
  readonly sub: string;
  readonly [name: string]: unknown;
}

/** A valid logout token. */
export interface Logout {
  issuer: string;
  jti: string;
  subject: string | undefined;
  session: string | undefined;
}

/** The OpenID Connect issuer. Its configuration and keys are read on first use and refreshed hourly. */
export class Issuer {
  private known: Promise<{ configuration: Configuration; keys: Keys }> | undefined;
  private readAt = Number.NEGATIVE_INFINITY;
  private failedAt = Number.NEGATIVE_INFINITY;

  /** @param clock monotonic time (ms) */
  constructor(
    private readonly settings: NonNullable<Config["oidc"]>,
    private readonly redirectUri: string,
    private readonly clock = () => performance.now(),
  ) {}

  /** Returns the URL where a person signs in, or throws a SignInProblem `unavailable`. */
  async authorizationUrl({ state, nonce, verifier, again }: Attempt): Promise<URL> {
    const { configuration } = await this.read();
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = library();
    const { permissionsClaim = "" } = this.settings;
    const { scopes_supported: supported = [] } = configuration.serverMetadata();
    return buildAuthorizationUrl(
      configuration,
      new URLSearchParams({
        redirect_uri: this.redirectUri,
        // Some issuers have a scope for the groups claim; others reject unknown scopes.
        scope: ["openid", "email", ...supported.filter((scope) => scope === permissionsClaim)].join(" "),
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        ...(again && { max_age: "0" }),
        // Sent only to issuers that ignore `max_age`, because some others, such as Google, reject it.
        ...(again === "login" && { prompt: "login" }),
      }),
    );
  }

  /** Exchanges the code in the callback's query for claims about the person, or throws a SignInProblem. */
  async claimsOf(query: string, { state, nonce, verifier }: Attempt): Promise<Claims> {
    const { configuration } = await this.read();
    const { authorizationCodeGrant, fetchUserInfo } = library();
    try {
      const tokens = await authorizationCodeGrant(configuration, new URL(`${this.redirectUri}?${query}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims: Claims | undefined = tokens.claims();
      // A multi-tenant issuer's ID tokens contain a single tenant's issuer URL.
      if (claims === undefined || claims.iss !== configuration.serverMetadata().issuer)
        throw new SignInProblem("rejected");
      if (!this.lacksClaims(claims) || !configuration.serverMetadata().userinfo_endpoint) return claims;
      return { ...(await fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims };
    } catch (error) {
      throw problemOf(error);
    }
  }

  /** Validates a logout token (Back-Channel Logout 1.0, 2.6), or throws a SignInProblem. */
  async logoutOf(token: string): Promise<Logout> {
    const { configuration, keys } = await this.read();
    const { jwtVerify }: typeof import("jose") = require("jose");
    let payload: JWTPayload;
    try {
      const verified = await jwtVerify(token, keys, {
        issuer: configuration.serverMetadata().issuer,
        audience: this.settings.clientId,
        algorithms: ALGORITHMS,
        requiredClaims: ["iat", "jti", "events"],
        maxTokenAge: LOGOUT_MAX_AGE_SECONDS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      });
      payload = verified.payload;
      const { typ } = verified.protectedHeader;
      if (typ !== undefined && !/^(application\/)?(logout\+jwt|jwt)$/i.test(typ))
        throw new SignInProblem("rejected");
    } catch (error) {
      throw problemOf(error);
    }
    const { jti, sub: subject, sid: session, events } = payload;
    const event = isRecord(events) ? events[LOGOUT_EVENT] : undefined;
    const isValid =
      typeof jti === "string" &&
      isTextOrAbsent(subject) &&
      isTextOrAbsent(session) &&
      (subject !== undefined || session !== undefined) &&
      isRecord(event) &&
      !("nonce" in payload);
    if (!isValid) throw new SignInProblem("rejected");
    return { issuer: configuration.serverMetadata().issuer, jti, subject, session };
  }

  /** True if an ID token lacks claims that the sign-in may need. */
  private lacksClaims(claims: Claims): boolean {
    const { permissionsClaim } = this.settings;
    return claims.email === undefined || (permissionsClaim !== undefined && !(permissionsClaim in claims));
  }

  private read(): NonNullable<typeof this.known> {
    if (this.known !== undefined && this.clock() - this.readAt < HOUR_MS) return this.known;
    if (this.clock() - this.failedAt < RETRY_INTERVAL_MS)
      return this.known ?? Promise.reject(new SignInProblem("unavailable"));
    const earlier = this.known;
    this.readAt = this.clock();
    const reading = this.discover().catch((error: unknown) => {
      this.failedAt = this.clock();
      this.readAt = Number.NEGATIVE_INFINITY;
      this.known = earlier;
      // Continues with the earlier configuration, because an outdated configuration is better than none.
      if (earlier !== undefined) return earlier;
      throw new SignInProblem("unavailable", { cause: error });
    });
    this.known = reading;
    return reading;
  }

  private async discover(): Promise<{ configuration: Configuration; keys: Keys }> {
    const { issuer, clientId, clientSecret } = this.settings;
    const lib = library();
    const { createRemoteJWKSet, customFetch }: typeof import("jose") = require("jose");
    const configuration = await lib.discovery(
      new URL(issuer),
      clientId,
      {},
      (server, client, body, headers) => {
        const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
        const authenticate = methods.includes("client_secret_basic")
          ? lib.ClientSecretBasic(clientSecret)
          : lib.ClientSecretPost(clientSecret);
        return authenticate(server, client, body, headers);
      },
      {
        [lib.customFetch]: guardedFetch,
        timeout: TIMEOUT_MS / 1000,
        // Without these checks, the library would trust the TLS connection instead of verifying ID tokens' signatures.
        execute: [
          lib.enableNonRepudiationChecks,
          ...(issuer.startsWith("http:") ? [lib.allowInsecureRequests] : []),
        ],
      },
    );
    const { jwks_uri: keysUrl } = configuration.serverMetadata();
    if (keysUrl === undefined) throw new Error("The issuer's metadata has no `jwks_uri`.");
    if (issuer.startsWith("https:") && !keysUrl.startsWith("https:"))
      throw new Error("The issuer's `jwks_uri` is not an https URL.");
    const keys = createRemoteJWKSet(new URL(keysUrl), {
      cooldownDuration: KEYS_INTERVAL_MS,
      timeoutDuration: TIMEOUT_MS,
      [customFetch]: guardedFetch,
    });
    return { configuration, keys };
  }
}

/** Loaded on first use, because most servers do not use an issuer. */
const library = (): Library => require("openid-client");

/** Fetches without following redirects, within size and time limits. */
async function guardedFetch(url: string, init: object): Promise<Response> {
  let response: Response;
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    response = await boundedFetch(url, { ...init, signal } as RequestInit, RESPONSE_MAX_BYTES);
  } catch (cause) {
    throw new IssuerDown("The issuer did not respond.", { cause });
  }
  if (response.status >= 500 || response.status === 429)
    throw new IssuerDown(`The issuer responded with ${response.status}.`);
  return response;
}

/** Converts a library error; only the resulting problem's cause contains text from the issuer. */
function problemOf(error: unknown): SignInProblem {
  if (error instanceof SignInProblem) return error;
  for (let each: unknown = error; each instanceof Error; each = each.cause)
    if (each instanceof IssuerDown) return new SignInProblem("unavailable", { cause: error });
  const { AuthorizationResponseError } = library();
  if (error instanceof AuthorizationResponseError) {
    if (error.error === "login_required") return new SignInProblem("stale", { cause: error });
    if (error.error === "access_denied") return new SignInProblem("denied", { cause: error });
    if (/^(server_error|temporarily_unavailable)$/.test(error.error))
      return new SignInProblem("unavailable", { cause: error });
  }
  return new SignInProblem("rejected", { cause: error });
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isTextOrAbsent = (value: unknown): value is string | undefined =>
  value === undefined || (typeof value === "string" && value !== "");
