import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { GatewayError } from "../../errors";
import { noteFailure, sendError } from "../../http/error-handler";
import { INVALID_LINK, PAGE_HEADERS } from "../../http/plain-page";
import { readAnonymousBodies } from "../../http/plugins/read-body";
import { UNSUBSCRIBE_PATH } from "../contacts/unsubscribe-links";
import type { UnsubscribeService } from "./unsubscribe.service";
import { askingPage, unsubscribedPage } from "./unsubscribe-page";

/** E-mail clients send `List-Unsubscribe=One-Click` as a form (RFC 8058); the body is ignored. */
const BODY_MAX_BYTES = 8 * 1024;

type Request = FastifyRequest<{ Params: { "*": string } }>;

/** Adds the unsubscribe page. Opening the page changes nothing; a single POST unsubscribes. */
export function addUnsubscribe(
  app: FastifyInstance,
  { unsubscribing }: { unsubscribing: UnsubscribeService },
): void {
  readAnonymousBodies(app, "*", BODY_MAX_BYTES, () => undefined);
  const options = {
    config: { api: "rest" },
    errorHandler: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      if (!(error instanceof GatewayError) || error.code !== "not_found")
        return sendError(error, request, reply);
      return reply.code(noteFailure(error, request).status).headers(PAGE_HEADERS).send(INVALID_LINK);
    },
  } as const;
  // Matches any path, because truncated and extended links must show a page as well.
  const path = `${UNSUBSCRIBE_PATH}*`;
  const tokenOf = (request: Request) => request.params["*"].replace(/\/$/, "");
  app.get(path, options, async (request: Request, reply) => {
    const { title, isOut } = await unsubscribing.find(tokenOf(request));
    return reply.headers(PAGE_HEADERS).send(isOut ? unsubscribedPage(title) : askingPage(title));
  });
  app.post(path, options, async (request: Request, reply) => {
    const subscribed = await unsubscribing.find(tokenOf(request));
    if (!subscribed.isOut) await unsubscribing.unsubscribe(subscribed);
    return reply.headers(PAGE_HEADERS).send(unsubscribedPage(subscribed.title));
  });
}
