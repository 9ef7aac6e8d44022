import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { originOf } from "../../auth/authenticate";
import { anonymousAt } from "../../auth/context";
import { sessionCookieFor } from "../../auth/session-cookie";
import { baseUrlOf } from "../../base-url";
import { isUuid } from "../../common/uuid";
import type { Config } from "../../config";
import { GatewayError } from "../../errors";
import { setErrorHead } from "../../http/error-handler";
import { PAGE_HEADERS } from "../../http/plain-page";
import { readAnonymousBodies } from "../../http/plugins/read-body";
import type { Attempt } from "./attempts";
import { CALLBACK_PATH, type OidcService } from "./oidc.service";
import { problemPage } from "./oidc-pages";
import { SignInProblem } from "./sign-in-problem";

const BODY_MAX_BYTES = 16_384;

const START_PATH = "/auth/oidc/start";

const startAgain = ({ again, returnTo, invitation }: Attempt) =>
  `${START_PATH}?${new URLSearchParams({ ...(again && { again }), returnTo, ...(invitation && { invitation }) })}`;

/** The pages for errors other than `SignInProblem`, by error code. */
const PAGES: Readonly<Record<string, "busy" | "taken">> = { too_many_attempts: "busy", conflict: "taken" };

interface Services {
  config: Config;
  log: Logger;
  oidc: OidcService | undefined;
}

/** Adds the routes for sign-in with OpenID Connect, if it is configured. */
export function addOidc(app: FastifyInstance, { config, log, oidc }: Services): void {
  const settings = config.oidc;
  if (settings === undefined || oidc === undefined) return;
  const baseUrl = baseUrlOf(config);
  const parse = (text: string) => new URLSearchParams(text);
  readAnonymousBodies(app, "application/x-www-form-urlencoded", BODY_MAX_BYTES, parse);

  const options = {
    config: { api: "dashboard" },
    errorHandler: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      const problem = error instanceof SignInProblem ? error : undefined;
      const isStale = problem?.kind === "stale";
      const attempt = oidc.attempts.in(request.headers.cookie);
      const path =
        attempt === undefined ? START_PATH : startAgain(isStale ? { ...attempt, again: "login" } : attempt);
      const start = request.url.startsWith(START_PATH) ? request.url : path;
      if (isStale && attempt?.again === "max_age") return reply.redirect(start, 303);
      if (problem !== undefined && problem.kind !== "denied")
        log.warn({ reason: problem.reason, reqId: request.id }, problem.message);
      const failure = problem === undefined ? error : new GatewayError(problem.code);
      const { code } = setErrorHead(failure, request, reply);
      const kind = problem?.kind ?? PAGES[code] ?? "failed";
      return reply
        .headers(PAGE_HEADERS)
        .serializer(String)
        .send(problemPage(kind, settings, start));
    },
  } as const;

  interface StartQuery {
    returnTo?: unknown;
    again?: unknown;
    invitation?: unknown;
  }
  app.get<{ Querystring: StartQuery }>(START_PATH, options, async (request, reply) => {
    const { returnTo, again, invitation } = request.query;
    const how = again === "login" ? again : "max_age";
    // An invalid ID must not be ignored, because a different invitation could then be accepted.
    if (invitation !== undefined && !(typeof invitation === "string" && isUuid(invitation)))
      throw new SignInProblem("unknown");
    const { attempt, cookie } = oidc.attempts.start(returnTo, {
      again: again === undefined ? undefined : how,
      invitation,
    });
    const url = await oidc.issuer.authorizationUrl(attempt);
    return reply.header("set-cookie", cookie).redirect(url.href, 303);
  });

  app.get(CALLBACK_PATH, options, async (request, reply) => {
    const attempt = oidc.attempts.in(request.headers.cookie);
    if (attempt === undefined) throw new SignInProblem("expired");
    const query = request.url.slice(request.url.indexOf("?") + 1);
    const { state } = request.query as { state?: unknown };
    if (state !== attempt.state) throw new SignInProblem("expired");
    reply.header("set-cookie", oidc.attempts.cleared);
    const opened = await oidc.signIn(anonymousAt(originOf(request)), query, attempt);
    reply.removeHeader("set-cookie");
    return reply
      .header("set-cookie", [oidc.attempts.cleared, sessionCookieFor(opened, baseUrl)])
      .redirect(attempt.returnTo, 303);
  });

  app.post("/auth/oidc/backchannel-logout", { config: { api: "rest" } }, async (request, reply) => {
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    try {
      await oidc.signOut(anonymousAt(originOf(request)), form.get("logout_token") ?? "");
    } catch (error) {
      if (!(error instanceof SignInProblem)) throw error;
      log.warn({ reason: error.reason, reqId: request.id }, "a logout token was rejected");
      const code = error.kind === "unavailable" ? "unavailable" : "invalid_request";
      throw new GatewayError(code, "The logout token is not valid.");
    }
    return reply.code(200).send();
  });
}
