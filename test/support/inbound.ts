import { Webhook } from "standardwebhooks";
import { v7 as uuid } from "uuid";
import type { Reply, TestGateway } from "./gateway";
import { addLine, addWebhookLine } from "./lines";
import { operatorOfAgent } from "./people";

/** Deviations from a correct signature of a request. */
export interface Signing {
  secret?: string;
  /** ID of the request; a new one by default. */
  id?: string;
  /** Headers instead of the signature headers. */
  headers?: Record<string, string>;
  /** Time of the signature. */
  at?: Date;
  contentType?: string;
}

/** Calls the routes of a line as the system at its other end does. */
export class Sender {
  constructor(
    private readonly gateway: TestGateway,
    readonly lineId: string,
    readonly secret: string,
  ) {}

  /** Signs and sends a body; an object as JSON. */
  async post(path: string, body: unknown, signing: Signing = {}): Promise<Reply> {
    const { secret = this.secret, id = `msg_${uuid()}`, at = new Date() } = signing;
    const { contentType = "application/json" } = signing;
    const content = typeof body === "string" ? body : JSON.stringify(body);
    return this.gateway.rest("POST", path, {
      token: null,
      headers: {
        "content-type": contentType,
        ...(signing.headers ?? {
          "webhook-id": id,
          "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
          "webhook-signature": new Webhook(secret).sign(id, at, content),
        }),
      },
      body: content,
    });
  }

  message(message: unknown, signing?: Signing): Promise<Reply> {
    return this.post(`/inbound/${this.lineId}`, message, signing);
  }

  /** Sends a message with a new ID from an address. */
  text(from: string, text: string, more: object = {}): Promise<Reply> {
    return this.message({ id: uuid(), from, text, ...more });
  }

  mail(raw: string, signing?: Signing): Promise<Reply> {
    return this.message(raw, { contentType: "message/rfc822", ...signing });
  }

  receipt(receipt: unknown, signing?: Signing): Promise<Reply> {
    return this.post(`/inbound/${this.lineId}/status`, receipt, signing);
  }
}

/** Returns the other end of a line, which gets a new secret. */
export async function senderOn(gateway: TestGateway, agentId: string, lineId: string): Promise<Sender> {
  const context = await operatorOfAgent(gateway, agentId);
  const { signingSecret } = await gateway.services.lines.rotateSecret(context, { id: lineId });
  return new Sender(gateway, lineId, signingSecret ?? "");
}

/** Adds a line, and returns its other end. */
export async function addSender(
  gateway: TestGateway,
  { url, ...line }: Parameters<typeof addLine>[1] & { url?: string },
): Promise<Sender> {
  const { id } = await (url === undefined
    ? addLine(gateway, line)
    : addWebhookLine(gateway, { url, ...line }));
  return senderOn(gateway, line.agentId, id);
}

/** Adds an e-mail line without encryption, by default on a host that is never called, and returns its other end. */
export const addMailSender = (
  gateway: TestGateway,
  agentId: string,
  email: { port?: number; from: string; subject?: string; listAddress?: string },
  name?: string,
): Promise<Sender> => {
  const host = email.port === undefined ? "93.184.215.14" : "127.0.0.1";
  const settings = { email: { host, ...(email.port !== undefined && { security: "none" }), ...email } };
  return addSender(gateway, { agentId, name, settings } as never);
};
