import type { Socket } from "node:net";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import { Interruption } from "./failures";

/** Max bytes that a server may send in a session. */
const MAX_SESSION_BYTES = 65_536;

/** Max lines that a server may send in a session. */
export const MAX_SESSION_LINES = 200;

/** Max time for a server to close a connection after `QUIT` (ms). */
const QUIT_TIMEOUT_MS = 1_000;

const LINE_FEED = 0x0a;

/** Nodemailer passes everything that a server sends to this method, before and after an upgrade to TLS. */
interface DataReceiver {
  _onData(chunk: Buffer): void;
}

/**
 * Creates a Nodemailer connection that disconnects servers that send more than a session needs. Nodemailer queues every
 * line, even an empty one, and a long queue blocks the event loop.
 * @param socket connected to the server
 * @returns the connection, which emits an `Interruption` error when the limit is exceeded
 */
export function createSmtpConnection(
  socket: Socket,
  options: Omit<SMTPConnection.Options, "connection">,
): SMTPConnection {
  // Loaded on demand, because most deployments have no e-mail line.
  const {
    default: Connection,
  }: typeof import("nodemailer/lib/smtp-connection") = require("nodemailer/lib/smtp-connection");
  const connection = new Connection({ ...options, connection: socket });
  const receiver = connection as unknown as DataReceiver;
  const receive = receiver._onData.bind(connection);
  let bytes = 0;
  let lines = 0;
  receiver._onData = (chunk) => {
    bytes += chunk.length;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) lines += 1;
    if (bytes <= MAX_SESSION_BYTES && lines <= MAX_SESSION_LINES) return receive(chunk);
    socket.destroy();
    const message = `The server sent more than ${MAX_SESSION_LINES} lines or ${MAX_SESSION_BYTES} bytes.`;
    connection.emit("error", new Interruption("invalid_answer", message));
  };
  return connection;
}

/** Ends a session, and closes the connection if the server does not. */
export function quit(connection: SMTPConnection, socket: Socket): void {
  connection.quit();
  const timer = setTimeout(() => socket.destroy(), QUIT_TIMEOUT_MS).unref();
  socket.once("close", () => clearTimeout(timer));
}
