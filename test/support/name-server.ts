import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { promises as dns } from "node:dns";
import { once } from "node:events";
import ipaddr from "ipaddr.js";

const HEADER_BYTES = 12;

/** Bytes of a question's type and class. */
const QUESTION_TAIL_BYTES = 4;

/** The DNS types of addresses. */
const FAMILIES: Readonly<Record<number, "ipv4" | "ipv6">> = { 1: "ipv4", 28: "ipv6" };

/** The response codes of names that the server does not have: of names in two domains, and of all others. */
const CODES: Readonly<Record<string, number>> = { "failing.test": 2, "refusing.test": 5 };
const NO_SUCH_NAME = 3;

/** A DNS server with the given names, used by every new resolver of this process; holds queries for `silent.test`. */
export class NameServer {
  /** Names of held queries, in order. */
  readonly held: string[] = [];

  private readonly answers: (() => void)[] = [];
  private readonly socket: Socket = createSocket("udp4");

  private constructor(private readonly names: Readonly<Record<string, readonly string[]>>) {
    this.socket.on("message", (query, client) => this.receive(query, client));
  }

  static async start(names: Readonly<Record<string, readonly string[]>>): Promise<NameServer> {
    const server = new NameServer(names);
    server.socket.bind(0, "127.0.0.1");
    await once(server.socket, "listening");
    const { Resolver } = dns;
    jest.spyOn(dns, "Resolver").mockImplementation((options) => {
      const resolver = new Resolver(options);
      resolver.setServers([`127.0.0.1:${server.socket.address().port}`]);
      return resolver;
    });
    return server;
  }

  /** Answers all held queries: the names do not exist. */
  release(): void {
    for (const answer of this.answers.splice(0)) answer();
  }

  close(): void {
    jest.restoreAllMocks();
    this.socket.close();
  }

  private receive(query: Buffer, client: RemoteInfo): void {
    const { name, end } = nameIn(query);
    const answer = () => this.socket.send(this.answerTo(query, name, end), client.port, client.address);
    if (name.endsWith("silent.test")) {
      this.held.push(name);
      this.answers.push(answer);
    } else answer();
  }

  private answerTo(query: Buffer, name: string, end: number): Buffer {
    const type = query.readUInt16BE(end);
    const addresses = this.names[name];
    const records = (addresses ?? [])
      .map((address) => ipaddr.parse(address))
      .filter((address) => address.kind() === FAMILIES[type])
      .map((address) => {
        const data = address.toByteArray();
        // A pointer to the question's name, the type, the class, no time to live, and the length of the address.
        return Buffer.from([0xc0, HEADER_BYTES, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length, ...data]);
      });
    const header = Buffer.alloc(HEADER_BYTES);
    query.copy(header, 0, 0, 2);
    const code = CODES[name.split(".").slice(-2).join(".")] ?? NO_SUCH_NAME;
    header.writeUInt16BE(0x8180 + (addresses === undefined ? code : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    return Buffer.concat([header, query.subarray(HEADER_BYTES, end + QUESTION_TAIL_BYTES), ...records]);
  }
}

/** Returns the name in a query's question, and the offset of its end. */
function nameIn(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join("."), end: at + 1 };
}
