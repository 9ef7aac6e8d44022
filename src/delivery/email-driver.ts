import { once } from "node:events";
import { Readable } from "node:stream";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import { composer, type Mail } from "./compose-mail";
import {
  AttemptOutcome,
  PROVIDER_ID_MAX_LENGTH,
  SEND_TIMEOUT_MS,
  type Send,
  type SendResult,
} from "./driver";
import { Interruption, onInterruption } from "./failures";
import { createSmtpConnection, quit } from "./smtp-connection";
import { failureOf } from "./smtp-failures";
import { BlockedTarget, type Targets } from "./targets";

export interface EmailSettings {
  /** Name or address of the SMTP server. */
  host: string;
  port: number;
  /** `tls` from the first byte, mandatory `starttls`, or `none`; production accepts `none` only for allowed targets. */
  security: "tls" | "starttls" | "none";
  user?: string;
  password?: string;
  /** The sender, as `address` or `Name <address>`. */
  from: string;
  subject?: string;
}

/** Sends e-mail through an SMTP server whose certificate it verifies; throws if `from` is not an address. */
export function createEmailDriver(
  targets: Targets,
  settings: EmailSettings,
  { timeoutMs = SEND_TIMEOUT_MS } = {},
): Send {
  const compose = composer(settings);
  return async (message, attempt) => {
    let hasLeft = false;
    const ended = new AbortController();
    let restartTimeout = () => {};
    let stop = () => {};
    const mayLeave = () => {
      hasLeft = !ended.signal.aborted && attempt.mayLeave();
      // A server may take a long time to check the text, and a second attempt would send the recipient another copy.
      if (hasLeft) restartTimeout();
      return hasLeft;
    };
    try {
      const mail = await compose(message);
      const interrupted = new Promise<never>((_, reject) => {
        restartTimeout = () => {
          stop();
          stop = onInterruption(attempt.signal, timeoutMs, reject);
        };
        restartTimeout();
      });
      const conditions = { mayLeave, signal: ended.signal, timeoutMs };
      return await Promise.race([interrupted, deliver(targets, settings, mail, conditions)]);
    } catch (error) {
      ended.abort();
      return failureOf(error, hasLeft, settings.password);
    } finally {
      stop();
    }
  };
}

/** Sends one e-mail over a new connection, which the signal closes. */
async function deliver(
  targets: Targets,
  settings: EmailSettings,
  mail: Mail,
  { mayLeave, signal, timeoutMs }: { mayLeave: () => boolean; signal: AbortSignal; timeoutMs: number },
): Promise<SendResult> {
  const { host, port, security, user, password } = settings;
  const socket = targets.connect(host, port);
  signal.addEventListener("abort", () => socket.destroy());
  socket.on("error", () => undefined);
  await once(socket, "connect");
  if (security === "none" && !targets.allowsPlain(socket.remoteAddress ?? "")) {
    throw new BlockedTarget("In production, the connection to the mail server must use TLS.");
  }

  const connection = createSmtpConnection(socket, {
    host,
    ...(targets.heloName !== undefined && { name: targets.heloName }),
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    tls: targets.tls,
    socketTimeout: timeoutMs,
  });
  const info = await new Promise<SMTPConnection.SentMessageInfo>((resolve, reject) => {
    // Waits a moment, because the connection may report the cause of its end only afterwards.
    connection.once("end", () =>
      setImmediate(reject, Object.assign(new Error("closed"), { code: "ECONNECTION" })),
    );
    connection.on("error", reject);
    const content = contentOf(mail, mayLeave, reject);
    const send = () =>
      connection.send({ ...mail.envelope, size: mail.content.length }, content, (error, info) =>
        error ? reject(error) : resolve(info),
      );
    connection.connect((error) => {
      if (error) reject(error);
      else if (user === undefined) send();
      else connection.login({ user, pass: password }, (failed) => (failed ? reject(failed) : send()));
    });
  });
  quit(connection, socket);
  return { outcome: AttemptOutcome.accepted, providerId: providerIdOf(mail, info), isDelivered: false };
}

/** Returns the e-mail as a stream, which is read only after the server has replied to DATA. */
const contentOf = (mail: Mail, mayLeave: () => boolean, reject: (error: Error) => void): Readable =>
  new Readable({
    read() {
      if (!mayLeave()) {
        reject(new Interruption("lease_lost", "Another process took over the message."));
        return;
      }
      this.push(mail.content);
      this.push(null);
    },
  });

/** Returns the ID that bounces will refer to, because some servers replace the given ID. */
function providerIdOf(
  { messageId }: Mail,
  { serverMessageId }: SMTPConnection.SentMessageInfo,
): string | null {
  const ids = [serverMessageId ?? messageId, messageId].map((id) => id.slice(1, -1));
  return ids.find((id) => id.length <= PROVIDER_ID_MAX_LENGTH) ?? null;
}
