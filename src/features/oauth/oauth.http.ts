import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { clientAddress } from "../../auth/client-address";
import { SCOPES } from "../../auth/permissions";
import { baseUrlOf } from "../../base-url";
import { networkOf } from "../../common/network";
import type { Config } from "../../config";
import { type ErrorCode, InvalidInput } from "../../errors";
import { setErrorHead } from "../../http/error-handler";
import { PAGE_HEADERS, plainPage } from "../../http/plain-page";
import { parseJson } from "../../http/plugins/json-body";
import { readAnonymousBodies } from "../../http/plugins/read-body";
import { KeyWindows } from "../../rate-limits/key-windows";
import { retryAfterError } from "../../rate-limits/retry-after";
import type { AuthorizationServer, ServerRequest } from "./authorization-server";
import { clientMetadata } from "./client-metadata";
import { INTERACTION_PATH, METADATA_PATH, resourcesOf, scopesOf } from "./resources";

const BODY_MAX_BYTES = 16_384;

/** Max requests per address per minute, by kind of request. */
const PER_MINUTE = { authorize: 120, token: 300, register: 20 };

/** The supported parameters of authorization requests; others are ignored. */
const PARAMETERS = [
  ...["client_id", "redirect_uri", "response_type", "scope", "state", "resource"],
  ...["code_challenge", "code_challenge_method"],
];

const CODES: Readonly<Record<number, ErrorCode>> = {
  401: "invalid_credentials",
  429: "too_many_attempts",
  500: "internal_error",
};

interface Services {
  config: Config;
  authorizationServer: AuthorizationServer | undefined;
}

/** Adds the routes for the authorization server and its metadata, if OAuth is enabled. */
export function addOAuth(app: FastifyInstance, { config, authorizationServer: server }: Services): void {
  if (server === undefined) return;
  const baseUrl = baseUrlOf(config);
  const resources = resourcesOf(baseUrl);
  // Reads bodies as text, because the library parses them.
  const types = ["application/x-www-form-urlencoded", "application/json"];
  readAnonymousBodies(app, types, BODY_MAX_BYTES, (text) => text);

  for (const { path, uri, scopes } of resources) {
    const metadata = {
      resource: uri,
      authorization_servers: [baseUrl],
      scopes_supported: scopes,
      bearer_methods_supported: ["header"],
      resource_name: "Agent and Petstore gateway",
    };
    const urls = [`${METADATA_PATH}${path}`, ...(path === "/mcp" ? [METADATA_PATH] : [])];
    for (const url of urls) app.get(url, { config: { api: "rest" } }, async () => metadata);
  }
  app.get("/.well-known/oauth-authorization-server", { config: { api: "rest" } }, async () => ({
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authorize`,
    token_endpoint: `${baseUrl}/oauth/token`,
    revocation_endpoint: `${baseUrl}/oauth/revoke`,
    ...(config.oauth?.allowsRegistration && { registration_endpoint: `${baseUrl}/oauth/register` }),
    scopes_supported: SCOPES,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  }));

  const windows = new KeyWindows();
  const limit = (request: FastifyRequest, what: keyof typeof PER_MINUTE) => {
    const { allowed, window } = windows.count(
      `${what} ${networkOf(clientAddress(request))}`,
      PER_MINUTE[what],
      1,
    );
    if (!allowed) throw retryAfterError("too_many_attempts", window.endsAt, windows.now());
  };
  const forward = async (
    request: FastifyRequest,
    reply: FastifyReply,
    message: Pick<ServerRequest, "method" | "query" | "body">,
  ): Promise<FastifyReply> => {
    const { cookie, accept, authorization, "content-type": type } = request.headers;
    const { status, headers, cookies, body } = await server.handle({
      ...message,
      path: request.url.split("?", 1)[0] ?? "",
      address: clientAddress(request),
      headers: { cookie, accept, authorization, "content-type": type, "x-request-id": request.id },
    });
    if (status >= 400) request.errorCode = CODES[status] ?? "invalid_request";
    if (headers["content-type"]?.startsWith("text/html")) reply.headers(PAGE_HEADERS);
    if (cookies.length > 0) reply.header("set-cookie", [...cookies]);
    return reply.code(status).headers(headers).serializer(String).send(body);
  };

  const page = {
    config: { api: "dashboard" },
    errorHandler: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      const { code } = setErrorHead(error, request, reply);
      const text = code === "too_many_attempts" ? "Too many requests." : "The request failed.";
      const shown = plainPage(
        "The application cannot be connected",
        `<p role="status">${text} Try again in a few minutes.</p>`,
      );
      return reply.headers(PAGE_HEADERS).serializer(String).send(shown);
    },
  } as const;
  app.get("/oauth/authorize", page, (request, reply) => {
    limit(request, "authorize");
    return forward(request, reply, { method: "GET", query: authorizationQuery(queryOf(request), resources) });
  });
  // After the consent, the library redirects the browser to the application.
  app.get("/oauth/authorize/:id", page, (request, reply) => {
    limit(request, "token");
    return forward(request, reply, { method: "GET" });
  });
  app.get<{ Params: { id: string } }>(`${INTERACTION_PATH}/:id`, page, ({ params }, reply) =>
    reply.redirect(`/dashboard/connect/${encodeURIComponent(params.id)}`, 303),
  );
  app.get(`${INTERACTION_PATH}/:id/finish`, page, (request, reply) => {
    limit(request, "authorize");
    return forward(request, reply, { method: "GET", query: queryOf(request) });
  });

  const api = { config: { api: "rest" } } as const;
  for (const path of ["/oauth/token", "/oauth/revoke"])
    app.post(path, api, (request, reply) => {
      limit(request, "token");
      return forward(request, reply, { method: "POST", body: String(request.body ?? "") });
    });
  if (config.oauth?.allowsRegistration)
    app.post("/oauth/register", api, (request, reply) => {
      limit(request, "register");
      const body = JSON.stringify(registrationIn(request.body));
      return forward(request, reply, { method: "POST", body });
    });
}

const queryOf = ({ url }: FastifyRequest): URLSearchParams =>
  new URLSearchParams(url.includes("?") ? url.slice(url.indexOf("?") + 1) : "");

/** Keeps an authorization request's known scopes or, if none are left, requests all of the resource's scopes. */
function authorizationQuery(
  given: URLSearchParams,
  resources: ReturnType<typeof resourcesOf>,
): URLSearchParams {
  const query = new URLSearchParams([...given].filter(([name]) => PARAMETERS.includes(name)));
  if (given.get("prompt") === "none") query.set("prompt", "none");
  if (given.getAll("scope").length > 1) return query;
  const { scopes } = resources.find(({ uri }) => uri === given.get("resource")) ?? { scopes: SCOPES };
  const wanted = scopesOf(given.get("scope") ?? "").filter((scope) => scopes.includes(scope));
  query.set("scope", (wanted.length > 0 ? wanted : scopes).join(" "));
  return query;
}

/** @throws GatewayError `invalid_json` or `invalid_request` */
function registrationIn(body: unknown): Record<string, unknown> {
  const given: unknown = parseJson(Buffer.from(String(body ?? "")));
  try {
    const { client_id: _, ...metadata } = clientMetadata(given);
    return metadata;
  } catch {
    throw new InvalidInput([{ path: "redirect_uris", message: "must be a list of 1 to 20 URIs" }]);
  }
}
