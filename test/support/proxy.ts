import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** What happens to the bytes of a connection. */
type Mode = "pass" | "silent" | "break";

/** A way to a server that can go bad. */
export interface FaultyWay {
  port: number;
  /** Connections that are open. */
  count(): number;
  /** Those that are open, and those to come, are accepted and say nothing in either direction. */
  silence(): void;
  /** Only open connections fall silent. */
  silenceOpen(): void;
  /** Those that are open end as soon as a byte comes, which the server does not get: until then they seem alive. */
  breakOpen(): void;
  /** Ends open connections without an answer. */
  cut(): void;
  /** Those to come end once the server has said a thing, with its last word in the same packet. */
  endAfter(thing: Buffer, lastWord: Buffer): void;
  /** Lets everything pass from now on, also what was held back. */
  heal(): void;
  close(): Promise<void>;
}

/**
 * Opens a way to a server.
 * @param target `host:port` is taken from this URL
 */
export async function startProxy(target: string): Promise<FaultyWay> {
  const { hostname, port } = new URL(target);
  const links = new Set<Link>();
  let mode: Mode = "pass";
  let end: End | undefined;
  const server = createServer((near) => {
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
    silence: () => {
      mode = "silent";
      setOpen(mode);
    },
    silenceOpen: () => setOpen("silent"),
    breakOpen: () => setOpen("break"),
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
