import { recordEvents } from "../../src/features/events/record-events";
import { MOVE_RESTORED_POSITIONS } from "../../src/features/restores/restore-steps";
import { EventStreamClient } from "./event-stream";
import type { TestGateway } from "./gateway";
import { FOLLOW, RawSocket } from "./web-socket";

/** The caller of a follower, and its options. */
export interface Following {
  token: string;
  /** For members, over WebSockets. */
  agentId?: string;
  after?: string;
}

/** A client's stream of events over any transport. */
export interface TestFollower {
  /** Positions of the events that arrived, until the client cut the connection. */
  readonly positions: string[];
  /** Everything that arrived, as JSON. */
  received(): string;
  until(holds: (follower: TestFollower) => boolean): Promise<void>;
  /**
   * Waits until the server has ended the stream.
   * @returns the error code; undefined if the stream ended without an error
   */
  end(): Promise<string | undefined>;
  cut(): void;
}

export const TRANSPORTS: Readonly<
  Record<string, (gateway: { url: string }, following: Following) => Promise<TestFollower>>
> = {
  "Server-Sent Events": async (gateway, { token, after }) => {
    const headers = after === undefined ? undefined : { "last-event-id": after };
    const stream = await EventStreamClient.open(gateway.url, token, headers && { headers });
    const follower: TestFollower = {
      get positions() {
        return stream.events.filter(({ id }) => id !== undefined).map(({ id }) => id as string);
      },
      received: () => JSON.stringify(stream.events),
      until: (holds) => stream.until(() => holds(follower)),
      end: async () => {
        await stream.end();
        return stream.status === 200
          ? stream.events.find(({ event }) => event === "error")?.data.code
          : stream.body.code;
      },
      cut: () => stream.cut(),
    };
    await stream.until(({ lastId, hasEnded }) => lastId !== undefined || hasEnded);
    return follower;
  },
  "a subscription": async (gateway, { token, ...variables }) => {
    const socket = await RawSocket.connected(gateway, token);
    if (socket.closed === undefined) socket.subscribe("1", FOLLOW, variables);
    const follower: TestFollower = {
      get positions() {
        return socket.eventsOf("1").map(({ position }: { position: string }) => position);
      },
      received: () => JSON.stringify(socket),
      until: (holds) => socket.until(() => holds(follower)),
      end: async () => {
        const isDone = () => socket.messages.some(({ type }) => type === "complete" || type === "error");
        await socket.until(({ closed }) => closed !== undefined || isDone());
        if (socket.closed === undefined) return socket.errorOf("1");
        return socket.closed.code === 1001 ? undefined : socket.closed.reason.split(":")[0];
      },
      cut: () => socket.socket.terminate(),
    };
    return follower;
  },
};

/** Commits an agent's events in one transaction. */
export async function commitEvents(
  { services: { database } }: Pick<TestGateway, "services">,
  agentId: string,
  count = 1,
): Promise<void> {
  await database.write(async (tx) =>
    recordEvents(
      tx,
      Array.from({ length: count }, (_, i) => ({
        agentId,
        type: "line.paused" as const,
        subject: `line:${i}` as const,
        data: { id: `${i}`, name: "a line", reason: null },
      })),
    ),
  );
}

/** Skips an agent's positions, as after a restore. */
export const skipPositions = (
  { services: { database } }: Pick<TestGateway, "services">,
  agentId: string,
): Promise<unknown> =>
  database.write((tx) => tx.query(`${MOVE_RESTORED_POSITIONS.statement} where agent_id = $1`, [agentId]));

/** Returns the position of an agent's last committed event; 0 if it has none. */
export const lastPosition = async (
  { services: { database } }: Pick<TestGateway, "services">,
  agentId: string,
): Promise<string> =>
  database.read(async (reader) => {
    const [row] = await reader.query("select last from agent_stream where agent_id = $1", [agentId]);
    return String(row?.last ?? 0);
  });
