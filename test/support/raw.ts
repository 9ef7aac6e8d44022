import { connect, type Socket } from "node:net";

/** A raw connection, for bytes that no HTTP client would send. */
export interface RawConnection {
  socket: Socket;
  /** Returns everything that was received so far. */
  received(): string;
  /**
   * Resolves as soon as the received bytes contain the text.
   * @throws Error if the server disconnects first
   */
  until(text: string): Promise<void>;
  /** Resolves with the response after the server has disconnected. */
  closed: Promise<string>;
}

export function openRaw(url: string): RawConnection {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = "";
  let gone = false;
  const watchers = new Set<() => void>();
  const tell = () => {
    for (const watcher of watchers) watcher();
  };
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
    tell();
  });
  // A rejection may look like a reset if the rest of the request was still being sent.
  socket.on("error", () => undefined);
  const closed = new Promise<string>((resolve) => {
    socket.on("close", () => {
      gone = true;
      tell();
      resolve(text);
    });
  });
  const until = (wanted: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (text.includes(wanted)) resolve();
        else if (gone) reject(new Error(`hung up before ${JSON.stringify(wanted)}: ${text}`));
        else return;
        watchers.delete(look);
      };
      watchers.add(look);
      look();
    });
  return { socket, received: () => text, until, closed };
}

/** Sends a line all but the last byte of an e-mail of a size (bytes), with an invalid signature, from an address. */
export function sendUnsigned(url: string, lineId: string, address: string, size: number): RawConnection {
  const connection = openRaw(url);
  connection.socket.write(
    `POST /inbound/${lineId} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n` +
      `Content-Type: message/rfc822\r\nwebhook-id: 1\r\nwebhook-timestamp: ${Math.floor(Date.now() / 1000)}\r\n` +
      `webhook-signature: v1,${Buffer.alloc(32).toString("base64")}\r\nContent-Length: ${size}\r\n\r\n` +
      " ".repeat(size - 1),
  );
  return connection;
}

/**
 * Sends bytes, one per character, and waits until the server disconnects.
 * @returns the received bytes
 */
export function sendBytes(url: string, bytes: string): Promise<string> {
  const { socket, closed } = openRaw(url);
  socket.write(Buffer.from(bytes, "latin1"));
  return closed;
}

/** Returns the status of each final response in the received bytes. */
export const statusesIn = (answers: string): number[] =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)]
    .map(([, status]) => Number(status))
    .filter((status) => status >= 200);
