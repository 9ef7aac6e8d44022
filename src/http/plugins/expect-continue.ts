import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { GatewayError } from "../../errors";

/**
 * `Expect: 100-continue` gets its `100 Continue` only once the request may have a body read, so that a key that is
 * refused costs no upload; any other expectation is refused (RFC 9110, 10.1.1).
 */
export function answerExpectContinue(app: FastifyInstance): void {
  const waiting = new WeakSet<IncomingMessage>();
  const asRequest = (request: IncomingMessage, response: ServerResponse) =>
    app.server.emit("request", request, response);

  app.server.on("checkContinue", (request, response) => {
    waiting.add(request);
    // Should the answer come first, nobody could tell whether the body follows.
    response.setHeader("connection", "close");
    asRequest(request, response);
  });
  app.server.on("checkExpectation", asRequest);

  app.addHook("onRequest", (request, _, done) => {
    const { expect } = request.raw.headers;
    if (expect !== undefined && expect.toLowerCase() !== "100-continue")
      throw new GatewayError("expectation_failed");
    done();
  });
  app.addHook("preParsing", (request, reply, payload, done) => {
    if (waiting.delete(request.raw)) {
      reply.raw.removeHeader("connection");
      reply.raw.writeContinue();
    }
    done(null, payload);
  });
}
