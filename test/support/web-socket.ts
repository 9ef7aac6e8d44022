import { type Client, createClient } from "graphql-ws";
import { WebSocket } from "ws";

/** A subscription that selects all fields of events. */
export const FOLLOW = `subscription ($agentId: ID, $after: String, $types: [EventType!]) {
  events(agentId: $agentId, after: $after, types: $types) { id type timestamp agentId subject position data }
}`;

/** Returns the WebSocket address of the GraphQL API. */
const socketUrl = ({ url }: { url: string }): string => `${url.replace(/^http/, "ws")}/graphql`;

export interface ProtocolMessage {
  type: string;
  id?: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a message
  payload?: any;
}

/** A WebSocket for sending messages that no client library would send. */
export class RawSocket {
  readonly messages: ProtocolMessage[] = [];
  closed: { code: number; reason: string } | undefined;
  readonly socket: WebSocket;
  private readonly watchers = new Set<() => void>();

  constructor(
    gateway: { url: string },
    {
      protocol = "graphql-transport-ws",
      headers = {},
    }: { protocol?: string; headers?: Record<string, string> } = {},
  ) {
    this.socket = new WebSocket(socketUrl(gateway), protocol === "" ? [] : [protocol], { headers });
    this.socket.on("message", (data) => {
      this.messages.push(JSON.parse(String(data)));
      this.tell();
    });
    this.socket.on("error", () => undefined);
    this.socket.on("close", (code, reason) => {
      this.closed = { code, reason: String(reason) };
      this.tell();
    });
  }

  /** Opens a connection and presents a token. */
  static async connected(gateway: { url: string }, token: string | undefined): Promise<RawSocket> {
    const socket = new RawSocket(gateway);
    await socket.opened();
    const payload = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    socket.send({ type: "connection_init", payload });
    await socket.until(({ messages, closed }) => messages.length > 0 || closed !== undefined);
    return socket;
  }

  opened(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket.once("open", resolve);
      this.socket.once("error", reject);
    });
  }

  send(message: unknown): void {
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  subscribe(id: string, query = FOLLOW, variables: Record<string, unknown> = {}): void {
    this.send({ id, type: "subscribe", payload: { query, variables } });
  }

  /** Returns the events that a subscription got. */
  eventsOf(id: string) {
    return this.messages
      .filter((message) => message.type === "next" && message.id === id)
      .flatMap(({ payload }) => payload.data?.events ?? []);
  }

  /** Waits until a condition holds. */
  until(holds: (socket: this) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (holds(this)) resolve();
        else if (this.closed !== undefined) reject(new Error(`closed: ${JSON.stringify(this)}`));
        else return;
        this.watchers.delete(look);
      };
      this.watchers.add(look);
      look();
    });
  }

  /** Waits for a subscription's error, and returns its code. */
  async errorOf(id: string): Promise<string> {
    const errors = ({ type, payload }: ProtocolMessage) => (type === "error" ? payload : payload?.errors);
    const find = () => this.messages.find((message) => message.id === id && errors(message) !== undefined);
    await this.until(() => find() !== undefined);
    return errors(find() as ProtocolMessage)[0].extensions.code;
  }

  /** Waits until the server has closed the connection. */
  async end(): Promise<{ code: number; reason: string }> {
    await this.until(({ closed }) => closed !== undefined);
    return this.closed ?? { code: 0, reason: "" };
  }

  toJSON() {
    return { messages: this.messages, closed: this.closed };
  }

  private tell(): void {
    for (const watcher of [...this.watchers]) watcher();
  }
}

/** Returns the outcome of a subscription: `ok` after it has sent something, otherwise the error code. */
export async function outcomeBySocket(
  gateway: { url: string },
  token: string | undefined,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<string> {
  const socket = await RawSocket.connected(gateway, token);
  try {
    if (socket.closed === undefined) socket.subscribe("1", query, variables);
    const isAnswered = ({ messages, closed }: RawSocket) =>
      closed !== undefined || messages.some(({ id }) => id === "1");
    await socket.until(isAnswered);
    if (socket.closed !== undefined) return socket.closed.reason.split(":")[0] ?? "";
    return socket.eventsOf("1").length > 0 ? "ok" : await socket.errorOf("1");
  } finally {
    socket.socket.terminate();
  }
}

/** Creates a client with the protocol's library, which Apollo Client and urql use. */
export const subscriptionClient = (gateway: { url: string }, token: string, retryAttempts = 0): Client =>
  createClient({
    url: socketUrl(gateway),
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
    retryAttempts,
  });
