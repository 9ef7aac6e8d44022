import type { WebSocket } from "ws";
import type { GatewayError } from "../../errors";

/** Close codes of the GraphQL over WebSocket protocol, by error status; after any other code, clients reconnect. */
const CLOSE_CODES: Readonly<Record<number, number>> = { 400: 4400, 401: 4401, 403: 4403, 500: 4500 };

/** "Try again later." */
const TRY_AGAIN = 1013;

/** The server is shutting down; clients reconnect. */
export const GOING_AWAY = 1001;

/** An accepted credential is no longer valid. */
export const FORBIDDEN = 4403;

/** Max length of a reason (bytes; RFC 6455, 5.5). */
const REASON_MAX_BYTES = 123;

/** Closes a connection; the reason is truncated to the protocol's maximum. */
export function close(socket: WebSocket, code: number, reason: string): void {
  socket.close(
    code,
    Buffer.from(reason)
      .subarray(0, REASON_MAX_BYTES)
      .toString()
      .replace(/\uFFFD$/, ""),
  );
}

/** Closes a connection with an error; the reason starts with its code. */
export function closeWith(
  socket: WebSocket,
  { code, message, status }: GatewayError,
  closeCode = CLOSE_CODES[status] ?? TRY_AGAIN,
): void {
  close(socket, closeCode, `${code}: ${message}`);
}
