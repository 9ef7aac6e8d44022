import { type ClientRequest, type IncomingMessage, request } from "node:http";

/** An event in a stream of Server-Sent Events, with parsed data. */
export interface SentEvent {
  id: string | undefined;
  event: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of the data
  data: any;
}

/** A client that follows a stream of Server-Sent Events and is as strict about lines as the standard. */
export class EventStreamClient {
  readonly events: SentEvent[] = [];
  /** The last ID that the stream named, even without an event. */
  lastId: string | undefined;
  status = 0;
  headers: IncomingMessage["headers"] = {};
  comments = 0;
  hasEnded = false;
  private text = "";
  private readonly watchers = new Set<() => void>();
  private response: IncomingMessage | undefined;

  private constructor(private readonly sent: ClientRequest) {}

  /**
   * Opens a stream.
   * @returns the stream, after its head has arrived; after a rejection, it has no events, only a `body`
   */
  static open(
    url: string,
    token: string | null,
    { query = "", headers = {} }: { query?: string; headers?: Record<string, string> } = {},
  ): Promise<EventStreamClient> {
    return new Promise((resolve, reject) => {
      const sent = request(`${url}/agent/events${query}`, {
        agent: false,
        headers: {
          accept: "text/event-stream",
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...headers,
        },
      });
      const client = new EventStreamClient(sent);
      sent.on("error", (error) => {
        reject(error);
        client.ended();
      });
      sent.on("response", (response) => {
        client.response = response;
        client.status = response.statusCode ?? 0;
        client.headers = response.headers;
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => client.read(chunk));
        response.on("close", () => client.ended());
        response.on("error", () => undefined);
        resolve(client);
      });
      sent.end();
    });
  }

  /**
   * Waits until a condition holds.
   * @throws Error if the stream ends first
   */
  async until(holds: (client: this) => boolean): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const look = () => {
        if (holds(this)) resolve();
        else if (this.hasEnded)
          reject(new Error(`the stream ended: ${this.status} ${this.text} ${JSON.stringify(this.events)}`));
        else return;
        this.watchers.delete(look);
      };
      this.watchers.add(look);
      look();
    });
  }

  end(): Promise<void> {
    return this.until(({ hasEnded }) => hasEnded);
  }

  pause(): void {
    this.response?.pause();
  }

  resume(): void {
    this.response?.resume();
  }

  cut(): void {
    this.sent.destroy();
  }

  private read(chunk: string): void {
    this.text += chunk;
    if (this.headers["content-type"]?.startsWith("application/json")) return;
    for (let at = this.text.indexOf("\n\n"); at !== -1; at = this.text.indexOf("\n\n")) {
      this.readBlock(this.text.slice(0, at));
      this.text = this.text.slice(at + 2);
    }
    this.tell();
  }

  private readBlock(block: string): void {
    const fields: Record<string, string> = {};
    for (const line of block.split("\n")) {
      const [, name = "", value = ""] = /^([^:]*): ?(.*)$/.exec(line) ?? [];
      if (name === "") this.comments += 1;
      else if (name in fields) throw new Error(`twice: ${block}`);
      else fields[name] = value;
    }
    if (fields.id !== undefined) this.lastId = fields.id;
    if (fields.data === undefined || fields.event === "position") return;
    this.events.push({ id: fields.id, event: fields.event, data: JSON.parse(fields.data) });
  }

  private ended(): void {
    this.hasEnded = true;
    this.tell();
  }

  /** The body of a rejection. */
  get body() {
    return JSON.parse(this.text);
  }

  private tell(): void {
    for (const watcher of [...this.watchers]) watcher();
  }
}
