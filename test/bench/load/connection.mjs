import { connect } from "node:net";
import { ResponseReader } from "./response-reader.mjs";

const READ_MAX_LENGTH = 64 * 1024;

/** Encodes a request of an API as HTTP. */
export function encodeRequest({ method, path, body, idempotencyKey }, key, host) {
  const repeatable = idempotencyKey === undefined ? "" : `Idempotency-Key: ${idempotencyKey}\r\n`;
  const head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: application/json\r\nAuthorization: Bearer ${key}\r\n${repeatable}`;
  if (body === undefined) return Buffer.from(`${head}\r\n`, "latin1");
  const json = JSON.stringify(body);
  const length = Buffer.byteLength(json);
  return Buffer.from(`${head}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${json}`);
}

/**
 * Keeps a connection busy: sends a request, waits for the whole response, then sends the next one.
 * @param port port on 127.0.0.1
 * @param next returns `{ bytes, status, begins }` of the next request; undefined ends the connection
 * @param answered called with the latency of each response (ms)
 * @returns a promise that resolves when the connection has ended, and rejects at the first unexpected response
 */
export function keepBusy(port, next, answered) {
  return new Promise((resolve, reject) => {
    const reader = new ResponseReader(16);
    let request;
    let sentAt = 0;
    const send = () => {
      request = next();
      if (request === undefined) return socket.end();
      sentAt = performance.now();
      socket.write(request.bytes);
    };
    const read = (length, buffer) => {
      try {
        if (!reader.push(buffer.subarray(0, length))) return true;
        if (reader.status !== request.status || !reader.begins.startsWith(request.begins)) {
          const asked = request.bytes.toString().replace(/Bearer \S+/, "Bearer …");
          throw new Error(`answered ${reader.status} ${reader.begins} to ${asked}`);
        }
      } catch (error) {
        socket.destroy(error);
        return false;
      }
      answered(performance.now() - sentAt);
      send();
      return true;
    };
    // One buffer for the whole connection, so that responses need no allocations and no streams.
    const socket = connect({
      host: "127.0.0.1",
      port,
      noDelay: true,
      onread: { buffer: Buffer.allocUnsafe(READ_MAX_LENGTH), callback: read },
    });
    let failure;
    socket.once("connect", send);
    socket.once("error", (error) => {
      failure = error;
    });
    socket.once("close", () => {
      if (failure === undefined && request !== undefined)
        failure = new Error("the server ended a connection");
      if (failure === undefined) resolve();
      else reject(failure);
    });
  });
}
