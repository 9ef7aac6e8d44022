import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { clientAddress } from "../../auth/client-address";
import { customerNetworkOf } from "../../common/network";
import { isSignedBy, type WebhookSignature, webhookSignatureOf } from "../../credentials/webhook-signature";
import { GatewayError } from "../../errors";
import { parseJson, requireJson, requireUncompressed } from "../../http/plugins/json-body";
import { Bodies, joined } from "../../http/plugins/read-body";
import { LineKind } from "../lines/line.entity";
import type { Inbound, InboundLine } from "./arrivals";
import { inboundOf, receiptOf } from "./inbound.bodies";
import { INBOUND_JSON_MAX_BYTES, MAIL_MAX_BYTES } from "./inbound.limits";
import type { InboundService } from "./inbound.service";
import { type MailReport, readMail } from "./mail";

declare module "fastify" {
  interface FastifyRequest {
    /** The line named by the request, and the signature to verify. */
    sender:
      | { line: InboundLine; organizationId: string; secrets: readonly string[]; signature: WebhookSignature }
      | undefined;
  }
}

/** Adds the routes for requests signed with a line's secret. */
export function addInbound(app: FastifyInstance, { inbound }: { inbound: InboundService }): void {
  const bodies = new Bodies();
  app.decorateRequest("sender", undefined);
  app.addHook<{ Params: { lineId: string } }>("onRequest", async (request) => {
    const signature = webhookSignatureOf(request.headers);
    if (signature === undefined) throw new GatewayError("invalid_signature");
    const { lineId } = request.params;
    request.sender = { ...(await inbound.lineFor(lineId, clientAddress(request))), signature };
  });

  /** Reads a body and verifies that it was signed with the line's secret. */
  const readSigned = <T>(
    request: FastifyRequest,
    payload: Readable,
    max: number,
    parse: (body: readonly Buffer[]) => T | Promise<T>,
  ): Promise<T> => {
    const { organizationId, secrets, signature } = senderOf(request);
    // Counts the memory per client network, because the sender is not authenticated until the body is complete, and
    // strangers must not be able to use up the memory for the line's real sender or for other lines.
    const holder = customerNetworkOf(clientAddress(request));
    return bodies.read(request, payload, { max, holder, organizationId }, async (body) => {
      if (!(await isSignedBy(signature, body, secrets))) throw new GatewayError("invalid_signature");
      request.countLoadOf(organizationId);
      return parse(body);
    });
  };
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", (request: FastifyRequest, payload: Readable) => {
    requireJson(request.headers);
    return readSigned(request, payload, INBOUND_JSON_MAX_BYTES, (body) => parseJson(joined(body)));
  });

  app.post("/inbound/:lineId/status", { config: { api: "rest" } }, async (request) => {
    const { line } = senderOf(request);
    const message = await inbound.report(line, receiptOf(request.body));
    return message === undefined ? {} : { messageId: message.id, status: message.status };
  });

  const withMails = async (scope: FastifyInstance) => {
    scope.addContentTypeParser("message/rfc822", (request: FastifyRequest, payload: Readable) => {
      const { line, organizationId, signature } = senderOf(request);
      if (line.kind !== LineKind.email) throw new GatewayError("invalid_content_type");
      requireUncompressed(request.headers);
      return readSigned(request, payload, MAIL_MAX_BYTES, (body) =>
        readMail(body, { id: signature.id, organizationId, lineId: line.id, optOutWords: line.optOutWords }),
      );
    });
    scope.post("/inbound/:lineId", { config: { api: "rest" } }, async (request, reply) => {
      const isMail = request.headers["content-type"]?.toLowerCase().startsWith("message/rfc822");
      const given = isMail ? (request.body as Inbound | MailReport) : inboundOf(request.body);
      if ("report" in given) {
        const { line } = senderOf(request);
        if (given.report !== undefined)
          await ("failure" in given.report
            ? inbound.applied(line, given.report.failure)
            : inbound.complained(line, given.report.complaintAbout));
        return reply.code(204).send();
      }
      const { message, contactId, isNew } = await inbound.receive(senderOf(request).line, given);
      const { id, conversationId, decisionId, status, omitted } = message;
      reply.code(isNew ? 202 : 200);
      return {
        id,
        conversationId,
        contactId,
        status,
        ...(decisionId !== null && { decisionId }),
        ...(omitted !== null && { omitted }),
      };
    });
  };
  app.register(fp(withMails, { name: "inbound-with-mails", encapsulate: true }));
}

function senderOf({ sender }: FastifyRequest) {
  if (sender === undefined) throw new GatewayError("invalid_signature");
  return sender;
}
