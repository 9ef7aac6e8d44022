import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { clientAddress } from "../auth/client-address";
import { instantOf } from "../common/instant";
import { networkOf, siteOf } from "../common/network";
import { timestamp, timestampOf } from "../common/time";
import { type WebhookSignature, webhookSignatureOf } from "../credentials/webhook-signature";
import { PROVIDER_ID_MAX_LENGTH } from "../delivery/driver";
import { GatewayError, type InputProblem, InvalidInput } from "../errors";
import { INBOUND_JSON_MAX_BYTES, MAIL_MAX_BYTES } from "../features/inbound/inbound.limits";
import type { Inbound, InboundService } from "../features/inbound/inbound.service";
import { readMail } from "../features/inbound/mail";
import { type Line, LineKind } from "../features/lines/line.entity";
import { ERROR_TEXT_MAX_LENGTH, MessageStatus } from "../features/messages/message.entity";
import { MESSAGE_TEXT_MAX_LENGTH } from "../features/messages/message.limits";
import type { Receipt } from "../features/messages/receipts";
import { parseJson, requireJson, requireUncompressed } from "../http/plugins/json-body";
import { Bodies } from "../http/plugins/read-body";

declare module "fastify" {
  interface FastifyRequest {
    /** The line that the request names, and the signature that is to prove it. */
    sender:
      | { line: Line; organizationId: string; secrets: readonly string[]; signature: WebhookSignature }
      | undefined;
  }
}

/**
 * Adds the routes that other systems call without an API key: what they send is signed with the secret of a line.
 */
export function addInbound(app: FastifyInstance, inbound: InboundService): void {
  const bodies = new Bodies();
  app.decorateRequest("sender", undefined);
  app.addHook<{ Params: { lineId: string } }>("onRequest", async (request) => {
    const signature = webhookSignatureOf(request.headers);
    if (signature === undefined) throw new GatewayError("invalid_signature");
    const { lineId } = request.params;
    request.sender = { ...(await inbound.lineFor(lineId, clientAddress(request))), signature };
  });

  /** Reads a body and proves that it comes from the other end of the line. */
  const readSigned = <T>(
    request: FastifyRequest,
    payload: Readable,
    max: number,
    parse: (body: Buffer) => T | Promise<T>,
  ): Promise<T> => {
    const { organizationId, secrets, signature } = senderOf(request);
    const ip = clientAddress(request);
    // Who sends is unknown until the body is complete: a stranger must not take the memory of the real sender, nor that
    // of other lines, whichever of them the stranger names.
    const holder = siteOf(ip) ?? networkOf(ip);
    return bodies.read(request, payload, { max, holder, organizationId }, async (body) => {
      await inbound.assertSigned(signature, body, secrets);
      return parse(body);
    });
  };
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", (request: FastifyRequest, payload: Readable) => {
    requireJson(request.headers);
    return readSigned(request, payload, INBOUND_JSON_MAX_BYTES, parseJson);
  });

  app.post("/inbound/:lineId/status", { config: { api: "rest" } }, async (request) => {
    const { line } = senderOf(request);
    const message = await inbound.report(line, receiptOf(request.body));
    return message === undefined ? {} : { messageId: message.id, status: message.status };
  });

  app.register(async (scope) => {
    scope.addContentTypeParser("message/rfc822", (request: FastifyRequest, payload: Readable) => {
      const { line, organizationId, signature } = senderOf(request);
      if (line.kind !== LineKind.email) throw new GatewayError("invalid_content_type");
      requireUncompressed(request.headers);
      return readSigned(request, payload, MAIL_MAX_BYTES, (body) =>
        readMail(body, { id: signature.id, organizationId, lineId: line.id }),
      );
    });
    scope.post("/inbound/:lineId", { config: { api: "rest" } }, async (request, reply) => {
      const isMail = request.headers["content-type"]?.toLowerCase().startsWith("message/rfc822");
      const given = isMail ? (request.body as Inbound | undefined) : inboundOf(request.body);
      if (given === undefined) return reply.code(204).send();
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
  });
}

function senderOf({ sender }: FastifyRequest) {
  if (sender === undefined) throw new GatewayError("invalid_signature");
  return sender;
}

/** Reads the members of an object, and collects the problems with them. */
class Members {
  private readonly problems: InputProblem[] = [];
  private readonly values: Readonly<Record<string, unknown>>;

  constructor(body: unknown) {
    if (typeof body !== "object" || body === null || Array.isArray(body))
      throw new GatewayError("invalid_request", "The body must be a JSON object.");
    this.values = body as Record<string, unknown>;
  }

  has(name: string): boolean {
    return this.values[name] != null;
  }

  /** A text that both databases keep as it is; an empty one after a problem. */
  text(name: string, max: number, { min = 1 } = {}): string {
    const value = this.values[name];
    if (typeof value !== "string") return this.problem(name, "must be a string");
    if (value.length < min) return this.problem(name, "must not be empty");
    if (value.length > max && [...value].length > max)
      return this.problem(name, `must have at most ${max} characters`);
    if (value.includes("\0")) return this.problem(name, "must not contain the NUL character");
    return value.isWellFormed() ? value : this.problem(name, "must be well-formed Unicode");
  }

  /** As `text`; many systems number their errors. */
  textOrNumber(name: string, max: number): string {
    const value = this.values[name];
    return Number.isSafeInteger(value) ? String(value) : this.text(name, max);
  }

  /** A time in RFC 3339; now if it is missing. */
  time(name: string): string {
    if (!this.has(name)) return timestamp();
    const value = this.values[name];
    const instant = typeof value === "string" ? instantOf(value) : undefined;
    // The clock of the other system may be ahead.
    if (instant !== undefined) return timestampOf(Math.min(instant.getTime(), Date.now()));
    return this.problem(name, "must be a time in RFC 3339, such as 2026-11-21T06:36:59Z");
  }

  problem(path: string, message: string): string {
    this.problems.push({ path, message });
    return "";
  }

  /** @throws InvalidInput if there was a problem */
  check(): void {
    if (this.problems.length > 0) throw new InvalidInput(this.problems);
  }
}

function inboundOf(body: unknown): Inbound {
  const members = new Members(body);
  const inbound = {
    providerId: members.text("id", PROVIDER_ID_MAX_LENGTH),
    from: members.text("from", MESSAGE_TEXT_MAX_LENGTH),
    name: null,
    text: members.text("text", MESSAGE_TEXT_MAX_LENGTH, { min: 0 }),
    sentAt: members.time("timestamp"),
    omitted: null,
    isAutomatic: false,
  };
  members.check();
  return inbound;
}

const REPORTED: readonly string[] = [
  MessageStatus.sent,
  MessageStatus.delivered,
  MessageStatus.read,
  MessageStatus.failed,
] satisfies Receipt["status"][];

function receiptOf(body: unknown): Omit<Receipt, "lineId"> {
  const members = new Members(body);
  const isById = members.has("messageId");
  if (isById === members.has("providerId"))
    members.problem("messageId", "must be given, or providerId, not both");
  const status = members.text("status", 16);
  if (!REPORTED.includes(status)) members.problem("status", `must be one of ${REPORTED.join(", ")}`);
  const receipt = {
    message: isById
      ? { id: members.text("messageId", 36) }
      : { providerId: members.has("providerId") ? members.text("providerId", PROVIDER_ID_MAX_LENGTH) : "" },
    status: status as Receipt["status"],
    at: members.time("timestamp"),
    ...(members.has("errorCode") && { errorText: members.textOrNumber("errorCode", ERROR_TEXT_MAX_LENGTH) }),
  };
  members.check();
  return receipt;
}
