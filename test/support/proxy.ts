import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** The treatment of a connection's bytes. */
type Mode = "pass" | "silent" | "break" | "reject";

/** A faulty proxy to a server. */
export interface FaultyWay {
  port: number;
  /** Returns the number of open connections. */
  count(): number;
  /** Returns the number of connections so far, including rejected ones. */
  attempts(): number;
  /** Silences open and later connections in both directions; they are still accepted. */
  silence(): void;
  /** Silences only open connections. */
  silenceOpen(): void;
  /** Ends open connections at their next byte, which does not reach the server; until then, they seem alive. */
  breakOpen(): void;
  /** Ends open connections, and later ones as soon as they are opened. */
  reject(): void;
  /** Ends open connections without a response. */
  cut(): void;
  /** Ends later connections after the server has sent `thing`, with `lastWord` in the same packet. */
  endAfter(thing: Buffer, lastWord: Buffer): void;
  /** Lets everything pass from now on, including held-back bytes. */
  heal(): void;
  close(): Promise<void>;
}

/**
 * Opens a proxy to a server.
 * @param target URL with the server's `host:port`
 */
export async function startProxy(target: string): Promise<FaultyWay> {
  const { hostname, port } = new URL(target);
  const links = new Set<Link>();
  let mode: Mode = "pass";
  let end: End | undefined;
  let attempts = 0;
  const server = createServer((near) => {
    attempts++;
    const link = new Link(near, connect(Number(port), hostname), mode, end);
    links.add(link);
    near.on("close", () => links.delete(link));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const setOpen = (next: Mode) => {
    for (const link of links) link.set(next);
  };
  const cut = () => {
    for (const link of links) link.end();
  };
  return {
    port: (server.address() as AddressInfo).port,
    count: () => links.size,
    attempts: () => attempts,
    silence: () => {
      mode = "silent";
      setOpen(mode);
    },
    silenceOpen: () => setOpen("silent"),
    breakOpen: () => setOpen("break"),
    reject: () => {
      mode = "reject";
      setOpen(mode);
    },
    cut,
    endAfter: (thing, lastWord) => {
      end = { thing, lastWord };
    },
    heal: () => {
      mode = "pass";
      end = undefined;
      setOpen(mode);
    },
    close: async () => {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}

/** How a server ends a connection. */
interface End {
  thing: Buffer;
  lastWord: Buffer;
}

/** One connection and its continuation. */
class Link {
  constructor(
    private readonly near: Socket,
    private readonly far: Socket,
    private mode: Mode,
    end: End | undefined,
  ) {
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on("data", (bytes) => {
        if (this.mode === "break") this.end();
        else if (end !== undefined && from === far && bytes.includes(end.thing))
          near.end(Buffer.concat([bytes, end.lastWord]));
        else to.write(bytes);
      });
      from.on("close", () => this.mode !== "silent" && to.destroy());
      from.on("error", () => undefined);
    }
    this.set(mode);
  }

  set(mode: Mode): void {
    this.mode = mode;
    if (mode === "reject") this.end();
    for (const socket of [this.near, this.far]) {
      if (mode === "silent") socket.pause();
      else socket.resume();
    }
  }

  end(): void {
    this.near.destroy();
    this.far.destroy();
  }
}
