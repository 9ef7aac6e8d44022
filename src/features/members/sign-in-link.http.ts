import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { originOf } from "../../auth/authenticate";
import { anonymousAt } from "../../auth/context";
import { isForeign, sessionCookieFor } from "../../auth/session-cookie";
import { baseUrlOf } from "../../base-url";
import type { Config } from "../../config";
import { GatewayError } from "../../errors";
import { setErrorHead } from "../../http/error-handler";
import { PAGE_HEADERS, plainPage } from "../../http/plain-page";
import type { SessionService } from "./session.service";

/** Path of single-use sign-in links, without the token. */
export const SIGN_IN_LINK_PATH = "/auth/link/";

const ASKING = plainPage(
  "Sign in",
  `<p>This link signs you in to the dashboard once.</p>
<form method="post"><button>Sign in</button></form>`,
);

const INVALID = plainPage(
  "This link does not work",
  "<p>It has already been used or has expired. Ask for a new one.</p>",
);

const FAILED = plainPage("You are not signed in", "<p>Try again in a few minutes.</p>");

interface Services {
  config: Config;
  sessions: SessionService;
}

/** Adds the page of sign-in links; opening it changes nothing, because e-mail scanners and previews open it too. */
export function addSignInLink(app: FastifyInstance, { config, sessions }: Services): void {
  const baseUrl = baseUrlOf(config);
  app.removeAllContentTypeParsers();
  // Accepts and ignores request bodies of any content type.
  app.addContentTypeParser("*", (_: FastifyRequest, payload: Readable, done) => {
    payload.resume();
    done(null);
  });
  const options = {
    config: { api: "dashboard" },
    errorHandler: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      const { code } = setErrorHead(error, request, reply);
      const page = code === "invalid_session" ? INVALID : FAILED;
      return reply.headers(PAGE_HEADERS).serializer(String).send(page);
    },
  } as const;
  const path = `${SIGN_IN_LINK_PATH}:token`;
  app.get(path, options, (_request, reply) =>
    // Without a referrer, browsers would not send the form's `Origin` either.
    reply.headers({ ...PAGE_HEADERS, "referrer-policy": "origin" }).send(ASKING),
  );
  app.post<{ Params: { token: string } }>(path, options, async (request, reply) => {
    // Another site must not be able to sign its visitors in as someone else (login CSRF).
    if (isForeign(request, new URL(baseUrl).origin)) throw new GatewayError("forbidden");
    const opened = await sessions.openByLink(anonymousAt(originOf(request)), request.params.token);
    return reply.header("set-cookie", sessionCookieFor(opened, baseUrl)).redirect("/dashboard", 303);
  });
}
