// One class, because the library's settings are callbacks that call the server's methods and share its state.

import { generateKeyPairSync } from "node:crypto";
import inject from "light-my-request";
import type { Client, Context, Payload, Provider } from "oidc-provider";
import { escapeHtml } from "../../common/escape-html";
import { networkOf } from "../../common/network";
import { DAY_SECONDS } from "../../common/time";
import { mintAccessToken, mintRefreshToken } from "../../credentials/token-format";
import { plainPage } from "../../http/plain-page";
import { KeyWindows } from "../../rate-limits/key-windows";
import type { Core } from "../../schema/feature";
import { CLIENT_ID_MAX_LENGTH } from "../api-keys/api-key.limits";
import { metadataFetch } from "./client-metadata";
import type { ConnectionService } from "./connection.service";
import type { OAuthRecords } from "./oauth-records";
import { INTERACTION_PATH, resourcesOf } from "./resources";

type Library = typeof import("oidc-provider");

const ACCESS_TOKEN_SECONDS = 3_600;

const CODE_SECONDS = 60;

/** Max metadata documents read per address per minute. */
const DOCUMENTS_PER_MINUTE = 30;

/** Max time that a member can take to consent (s). */
const REQUEST_SECONDS = 600;

/** Name of the library's session cookie, which is never sent to browsers. */
const SESSION_COOKIE = "gateway_oauth_session";

const TOKEN_PATH = "/oauth/token";
const REVOCATION_PATH = "/oauth/revoke";
const TOKEN_PATHS = [TOKEN_PATH, REVOCATION_PATH];

const FINISH = new RegExp(`^${INTERACTION_PATH}/([\\w-]{1,100})/finish$`);

interface Dependencies extends Pick<Core, "log" | "targets"> {
  baseUrl: string;
  allowsRegistration: boolean;
  records: OAuthRecords;
  connections: ConnectionService;
}

/** A request to the authorization server. */
export interface ServerRequest {
  method: "GET" | "POST";
  path: string;
  address: string | null;
  query?: URLSearchParams;
  headers: Readonly<Record<string, string | undefined>>;
  body?: string;
}

/** The authorization server's response; cookies are `Set-Cookie` headers. */
export interface ServerResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  cookies: readonly string[];
  body: string;
}

/** Response headers that are passed on to the client. */
const HEADERS = ["location", "content-type", "cache-control", "pragma", "www-authenticate"];

/** The OAuth 2.1 authorization server; loaded on first use, because few gateways have connected applications. */
export class AuthorizationServer {
  private provider: Provider | undefined;
  private readonly documents = new KeyWindows();
  /** Requests that have read a metadata document, which the library would read again to display an error. */
  private readonly readers = new WeakSet<Context>();
  /** Errors thrown while completing a consent, by response. */
  private readonly failures = new WeakMap<object, Error>();

  constructor(private readonly services: Dependencies) {}

  /** Responds to a checked request; throws only errors from completing a consent. */
  async handle({ method, path, address, query, headers, body }: ServerRequest): Promise<ServerResponse> {
    this.provider ??= this.load();
    const { protocol, host } = new URL(this.services.baseUrl);
    const given = Object.entries(headers).filter(
      (header): header is [string, string] => header[1] !== undefined,
    );
    const response = await inject(this.provider.callback(), {
      method,
      url: query === undefined ? path : `${path}?${query}`,
      headers: { ...Object.fromEntries(given), host, "x-forwarded-proto": protocol.slice(0, -1) },
      ...(address !== null && { remoteAddress: address }),
      ...(body !== undefined && { payload: body }),
    });
    const failure = this.failures.get(response.raw.res);
    if (failure !== undefined) throw failure;
    const cookies = [response.headers["set-cookie"] ?? []].flat();
    return {
      status: response.statusCode,
      headers: Object.fromEntries(
        HEADERS.flatMap((name) => {
          const value = response.headers[name];
          return value === undefined ? [] : [[name, String(value)]];
        }),
      ),
      cookies: cookies.filter((cookie) => !cookie.startsWith(SESSION_COOKIE)),
      // Removes the body of a redirect, because the library repeats the target URL in it.
      body: response.headers.location === undefined ? response.payload : "",
    };
  }

  private load(): Provider {
    const library = require("oidc-provider") as Library;
    const { baseUrl, log } = this.services;
    const provider = new library.Provider(baseUrl, this.configuration(library));
    provider.proxy = true;
    provider.silent = true;
    // The library's own tokens do not have a prefix that logs and secret scanners could recognize.
    Object.assign(provider.AccessToken.prototype, {
      generateTokenId(this: { format: string }) {
        this.format = "opaque";
        return mintAccessToken();
      },
    });
    Object.assign(provider.RefreshToken.prototype, { generateTokenId: mintRefreshToken });
    provider.use((context, next) =>
      // Koa's own error handling would not respond, because it tries to set `status` on the gateway's errors.
      this.finish(provider, library.errors, context, next).catch((error: Error) => {
        this.failures.set(context.res, error);
      }),
    );
    provider.on("server_error", (context, error) =>
      log.error({ err: error, reqId: context.get("x-request-id") }, "the authorization server failed"),
    );
    return provider;
  }

  /**
   * Sends a member's answer to the application: a rejection unless the URL contains a consent's secret. Only
   * the browser that started the request can do this, so that attackers cannot obtain consent to a request
   * started in their own browser.
   */
  private async finish(
    provider: Provider,
    { SessionNotFound }: Library["errors"],
    context: Context,
    next: () => Promise<void>,
  ): Promise<void> {
    const requestId = FINISH.exec(context.path)?.[1];
    if (requestId === undefined) return next();
    const { req, res, query } = context;
    const reject = (description: string) => {
      context.status = 400;
      renderError(context, { error: "invalid_request", error_description: description });
    };
    const unlessEnded = <T>(found: Promise<T>): Promise<T | undefined> =>
      found.catch((error: unknown) => {
        if (error instanceof SessionNotFound) return undefined;
        throw error;
      });
    const rejectEnded = () => reject("This browser did not start the request, or the request has expired.");
    const started = await unlessEnded(provider.interactionDetails(req, res));
    if (started?.uid !== requestId) return rejectEnded();
    const { connections } = this.services;
    const connected =
      typeof query.consent === "string" ? await connections.connect(requestId, query.consent) : "rejected";
    // Shows an error instead of sending the library a result, so that a repeated request does not replace the
    // first one's result.
    if (connected === undefined) return reject("The consent has already been used or has expired.");
    const result =
      connected === "rejected"
        ? { error: "access_denied", error_description: "The request was rejected." }
        : {
            login: { accountId: connected.memberId, remember: false },
            consent: { grantId: connected.keyId },
          };
    const resumeUrl = await unlessEnded(provider.interactionResult(req, res, result));
    if (resumeUrl === undefined) return rejectEnded();
    context.redirect(resumeUrl);
  }

  /**
   * Returns the client that presents a token of its own connection, without reading its metadata document: most
   * applications discard their tokens if their client ID is rejected, so a failed read would end the connection.
   */
  private async connectedClient({ path, oidc }: Context, clientId: string): Promise<Payload | undefined> {
    if (!TOKEN_PATHS.includes(path)) return undefined;
    const { refresh_token: refreshToken, token } = oidc.params;
    const isConnected =
      (await this.isIssuedTo(clientId, "RefreshToken", refreshToken ?? token)) ||
      (await this.isIssuedTo(clientId, "AccessToken", token));
    if (!isConnected) return undefined;
    return { client_id: clientId, grant_types: ["refresh_token"], response_types: [] };
  }

  /**
   * True if an application's metadata document may be read. Anyone can present any URL, so reads are limited per
   * request and per address. At the token endpoints, only applications that present their own code cause a read.
   * @throws InvalidGrant for an unknown code or refresh token, or TemporarilyUnavailable for a code if the limit is
   *   reached
   */
  private async mayReadDocument(
    context: Context,
    clientId: string,
    errors: Library["errors"],
  ): Promise<boolean> {
    const { path, ip, oidc } = context;
    // The URL would not fit in the row of the connection's key.
    if (clientId.length > CLIENT_ID_MAX_LENGTH) return false;
    if (path === REVOCATION_PATH || this.readers.has(context)) return false;
    this.readers.add(context);
    if (path === TOKEN_PATH && !(await this.isIssuedTo(clientId, "AuthorizationCode", oidc.params.code)))
      throw new errors.InvalidGrant("the code or token is unknown");
    const { allowed } = this.documents.count(networkOf(ip), DOCUMENTS_PER_MINUTE, 1);
    if (!allowed && path === TOKEN_PATH)
      throw tooMany(errors, "Too many metadata documents were requested from this address.");
    return allowed;
  }

  /** True if a code or token exists and was issued to the client. */
  private async isIssuedTo(clientId: string, kind: string, id: unknown): Promise<boolean> {
    return typeof id === "string" && (await this.services.records.find(kind, id))?.clientId === clientId;
  }

  private configuration({ Provider, errors, interactionPolicy }: Library): Record<string, unknown> {
    const { baseUrl, allowsRegistration, records, targets } = this.services;
    const { Check, Prompt } = interactionPolicy;
    const resources = new Map(resourcesOf(baseUrl).map((resource) => [resource.uri, resource]));
    const [main] = resources.keys();
    const secondsLeft = ({ oidc }: Context) =>
      Math.max(1, (oidc.entities.Grant?.exp ?? 0) - Math.floor(Date.now() / 1000));
    return {
      adapter: (kind: string) => {
        const adapter = records.adapter(kind, {
          request: () => Provider.ctx,
          tokens: () => (isRefreshable(Provider.ctx.oidc.client) ? 2 : 1),
          alreadyUsed: () =>
            kind === "Interaction"
              ? new errors.SessionNotFound("The request has already been answered.")
              : new errors.InvalidGrant("the code or token has already been used"),
          tooMany: () => tooMany(errors, "The application renews its tokens too often."),
        });
        if (kind !== "Client") return adapter;
        return {
          ...adapter,
          find: async (id: string) =>
            (await adapter.find(id)) ?? (await this.connectedClient(Provider.ctx, id)),
        };
      },
      clientAuthMethods: ["none"],
      clientDefaults: {
        grant_types: ["authorization_code", "refresh_token"],
        id_token_signed_response_alg: "ES256",
        response_types: ["code"],
        token_endpoint_auth_method: "none",
      },
      clientBasedCORS: () => false,
      clockTolerance: 0,
      claims: {},
      cookies: {
        names: { session: SESSION_COOKIE, interaction: "gateway_oauth", resume: "gateway_oauth_resume" },
        short: { httpOnly: true, sameSite: "lax" },
      },
      expiresWithSession: () => false,
      features: {
        devInteractions: { enabled: false },
        dPoP: { enabled: false },
        userinfo: { enabled: false },
        rpInitiatedLogout: { enabled: false },
        pushedAuthorizationRequests: { enabled: false },
        revocation: {
          enabled: true,
          allowedPolicy: (_: Context, client: Client, token: { clientId: string }) =>
            token.clientId === client.clientId,
        },
        registration: {
          enabled: allowsRegistration,
          issueRegistrationAccessToken: false,
        },
        clientIdMetadataDocument: {
          enabled: true,
          ack: "draft-02",
          cacheDuration: { min: 60, max: 60 },
          allowFetch: (context: Context, clientId: string) => this.mayReadDocument(context, clientId, errors),
        },
        resourceIndicators: {
          enabled: true,
          defaultResource: (_: Context, __: unknown, requested?: string[]) => requested ?? main,
          useGrantedResource: () => true,
          getResourceServerInfo: (_: Context, uri: string) => {
            const resource = resources.get(uri);
            if (resource === undefined) throw new errors.InvalidTarget();
            return { scope: resource.scopes.join(" "), accessTokenFormat: "opaque" };
          },
        },
      },
      fetch: metadataFetch(targets),
      findAccount: (_: Context, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
      interactions: {
        url: (_: Context, { uid }: { uid: string }) => `${INTERACTION_PATH}/${uid}`,
        // Every request requires a new consent.
        policy: [
          new Prompt(
            { name: "consent", requestable: true },
            new Check(
              "consent_required",
              "The member must consent.",
              "consent_required",
              ({ oidc }) => oidc.result?.consent === undefined,
              ({ oidc }) => ({ clientName: oidc.client?.clientName }),
            ),
          ),
        ],
      },
      issueRefreshToken: (_: Context, client: Client) => isRefreshable(client),
      // The library requires a signing key, although nothing is signed here.
      jwks: {
        keys: [generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" })],
      },
      loadExistingGrant: ({ oidc }: Context) => {
        const grantId = oidc.result?.consent?.grantId;
        return grantId === undefined ? undefined : oidc.provider.Grant.find(grantId);
      },
      pkce: { required: () => true },
      renderError,
      responseTypes: ["code"],
      // Revoking a token, or reusing a code or a refresh token that can no longer be used, ends the connection.
      revokeGrantPolicy: () => true,
      rotateRefreshToken: () => true,
      routes: {
        authorization: "/oauth/authorize",
        token: TOKEN_PATH,
        revocation: REVOCATION_PATH,
        registration: "/oauth/register",
      },
      scopes: [],
      ttl: {
        AccessToken: (context: Context) => Math.min(ACCESS_TOKEN_SECONDS, secondsLeft(context)),
        AuthorizationCode: CODE_SECONDS,
        Grant: DAY_SECONDS,
        Interaction: REQUEST_SECONDS,
        RefreshToken: secondsLeft,
        Session: REQUEST_SECONDS,
      },
    };
  }
}

const isRefreshable = (client: Client | undefined): boolean =>
  client?.grantTypeAllowed("refresh_token") ?? false;

/** Returns the error for too many requests, which the application may retry later. */
const tooMany = ({ TemporarilyUnavailable }: Library["errors"], description: string): Error =>
  Object.assign(new TemporarilyUnavailable(description), { status: 429, statusCode: 429 });

function renderError(
  context: Context,
  { error, error_description: description = "" }: { error: string; error_description?: string },
): void {
  context.type = "html";
  context.body = plainPage(
    "The application cannot be connected",
    `<p role="status">${escapeHtml(description)}</p>\n<p><code>${escapeHtml(error)}</code></p>`,
  );
}
