import { connect, type Socket } from "node:net";

/** A connection of bytes, for what no HTTP client would send. */
export interface RawConnection {
  socket: Socket;
  /** Everything that came back so far. */
  received(): string;
  /**
   * Resolves as soon as what came back holds the text.
   * @throws Error when the server hangs up before
   */
  until(text: string): Promise<void>;
  /** The response, once the server has hung up. */
  closed: Promise<string>;
}

/** Opens a connection to a gateway. */
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
  // To be rejected may look like a reset, when the rest of the request was still on its way.
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

/**
 * Sends bytes, each character one of them, and waits until the server hangs up.
 * @returns what came back
 */
export function sendBytes(url: string, bytes: string): Promise<string> {
  const { socket, closed } = openRaw(url);
  socket.write(Buffer.from(bytes, "latin1"));
  return closed;
}

/** The status of each final answer in what came back. */
export const statusesIn = (answers: string): number[] =>
  [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)]
    .map(([, status]) => Number(status))
    .filter((status) => status >= 200);
