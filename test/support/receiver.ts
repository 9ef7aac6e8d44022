import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import { generate } from "selfsigned";

export interface Received {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** A receiver's reaction to a complete request. */
export type Reaction = (response: ServerResponse, request: IncomingMessage) => void;

/** Creates a self-signed certificate for a name. */
export const certificateFor = (name: string) =>
  generate([{ name: "commonName", value: name }], {
    keyType: "ec",
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "subjectAltName", altNames: [{ type: 2, value: name }] },
    ],
  });

/** An HTTP server that keeps received requests, and answers 200 unless its `reaction` is changed. */
export class Receiver {
  readonly received: Received[] = [];
  /** Number of connections so far. */
  connections = 0;
  reaction: Reaction = (response) => response.end();

  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly scheme: string,
  ) {}

  static async start(tls?: { cert: string; private: string }): Promise<Receiver> {
    const listener: RequestListener = async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const headers = request.headers as Record<string, string>;
      receiver.received.push({ url: request.url ?? "", headers, body: Buffer.concat(chunks).toString() });
      receiver.reaction(response, request);
    };
    const server = tls
      ? createTlsServer({ cert: tls.cert, key: tls.private }, listener)
      : createServer(listener);
    const receiver = new Receiver(server, tls ? "https" : "http");
    await receiver.listen();
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get openConnections(): number {
    return this.sockets.size;
  }

  url(host = "127.0.0.1"): string {
    return `${this.scheme}://${host}:${this.port}/`;
  }

  /** Leaves requests from now on without a response, and returns the responses to end. */
  hold(): ServerResponse[] {
    const held: ServerResponse[] = [];
    this.reaction = (response) => held.push(response);
    return held;
  }

  onlyRequest(): Received {
    const [request] = this.received;
    if (!request || this.received.length > 1) throw new Error(`${this.received.length} requests arrived`);
    return request;
  }

  async close(): Promise<void> {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await once(this.server, "close");
  }

  private async listen(): Promise<void> {
    this.server.on("connection", (socket: Socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      socket.once("close", () => this.sockets.delete(socket));
    });
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
  }
}
