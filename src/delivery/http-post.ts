import http from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Attempt } from "./driver";
import { Interruption, onInterruption } from "./failures";
import type { Targets } from "./targets";

/** Max bytes to read from a response body; the connection is closed if the body is longer. */
const MAX_ANSWER_BYTES = 65_536;

/** Max bytes received per request: informational responses and the response's head, body and framing. */
const MAX_RECEIVED_BYTES = 2 * MAX_ANSWER_BYTES;

/** Max time to drain an ignored body (ms) before its connection is closed. */
const MAX_IGNORED_MS = 100;

export interface HttpAnswer {
  status: number;
  retryAfter: string | undefined;
  /** The part of the body that was read. */
  body: Buffer;
  /** True if `body` is complete. */
  isComplete: boolean;
}

/** A response or an error; `hasLeft` is true if parts of the request may have reached the receiver. */
export type HttpOutcome = { answer: HttpAnswer } | { error: unknown; hasLeft: boolean };

export interface HttpPost {
  url: URL;
  body: string;
  /** Creates the headers just before they are sent. */
  headers: () => Readonly<Record<string, string>>;
  /** True if only the status of a 2xx response matters, so that a slow body causes no delay. */
  ignoresAccepted?: boolean;
}

/** Sends a POST request to an allowed target without following redirects. Never rejects. */
export function httpPost(
  targets: Targets,
  { url, body, headers, ignoresAccepted = false }: HttpPost,
  attempt: Attempt,
  timeoutMs: number,
): Promise<HttpOutcome> {
  return new Promise((resolve) => {
    let hasLeft = false;
    const fail = (error: unknown) => resolve({ error, hasLeft });
    let request: http.ClientRequest;
    try {
      const { request: start } = url.protocol === "https:" ? https : http;
      request = start(url, { agent: targets.agentFor(url), method: "POST" });
    } catch (error) {
      fail(error);
      return;
    }
    const stop = onInterruption(attempt.signal, timeoutMs, (interruption) => request.destroy(interruption));

    // Hold back the head until the connection is ready, because the lease may expire during a slow handshake.
    const leave = () => {
      if (request.destroyed) return;
      for (const [name, value] of Object.entries(headers())) request.setHeader(name, value);
      if (!attempt.mayLeave()) {
        request.destroy(new Interruption("lease_lost", "Another process took over the message."));
        return;
      }
      hasLeft = true;
      request.end(body);
    };
    request.once("socket", (socket) => {
      limitReceived(socket);
      if (isReady(socket)) leave();
      else socket.once(socket instanceof TLSSocket ? "secureConnect" : "connect", leave);
    });

    let isAnswered = false;
    request.once("response", async (response) => {
      isAnswered = true;
      const { statusCode = 0 } = response;
      if (ignoresAccepted && statusCode >= 200 && statusCode < 300) {
        resolve({ answer: { ...headOf(response), body: Buffer.alloc(0), isComplete: false } });
        letEnd(response);
        stop();
        return;
      }
      resolve({ answer: { ...headOf(response), ...(await read(response)) } });
      stop();
    });
    request.once("upgrade", (response, socket) => {
      socket.destroy();
      resolve({ answer: { ...headOf(response), body: Buffer.alloc(0), isComplete: true } });
      stop();
    });
    request.on("error", (error) => {
      // Once a response's head has arrived, the function that reads its body handles the error.
      if (isAnswered) return;
      fail(error);
      stop();
    });
  });
}

/** The number of bytes that each connection may still receive. */
const receivable = new WeakMap<Socket, number>();

/** Closes a connection that receives more than one response may contain, even between two requests. */
function limitReceived(socket: Socket): void {
  if (!receivable.has(socket)) {
    socket.on("data", (chunk: Buffer) => {
      const left = (receivable.get(socket) ?? 0) - chunk.length;
      receivable.set(socket, left);
      if (left >= 0) return;
      const message = `The receiver sent more than ${MAX_RECEIVED_BYTES} bytes.`;
      socket.destroy(new Interruption("invalid_answer", message));
    });
  }
  receivable.set(socket, MAX_RECEIVED_BYTES);
}

/** True if a pooled socket is connected and, with TLS, has verified the certificate. */
const isReady = (socket: Socket): boolean =>
  socket instanceof TLSSocket ? socket.authorized : !socket.connecting;

const headOf = (response: http.IncomingMessage) => ({
  status: response.statusCode ?? 0,
  retryAfter: response.headers["retry-after"],
});

/** Keeps the connection alive if the body ends soon; otherwise closes it. */
function letEnd(response: http.IncomingMessage): void {
  const timer = setTimeout(() => response.destroy(), MAX_IGNORED_MS).unref();
  response.on("close", () => clearTimeout(timer)).on("error", () => undefined);
  response.resume();
}

/** Reads a response to its end, but not beyond the limit. */
async function read(response: http.IncomingMessage): Promise<Pick<HttpAnswer, "body" | "isComplete">> {
  const chunks: Buffer[] = [];
  let size = 0;
  let isComplete = false;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      size += chunk.length;
      // Leaving the loop closes the connection.
      if (size > MAX_ANSWER_BYTES) break;
    }
    isComplete = size <= MAX_ANSWER_BYTES;
  } catch {
    // The connection broke or the request timed out, but the status is already known.
  }
  return { body: Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES), isComplete };
}
