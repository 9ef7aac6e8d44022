import { pick } from "../../bench/random.mjs";
import { send } from "./writes.mjs";

const CLIENTS = 12;
/** Pause of a client after a failure (ms), so that it does not flood a dead database. */
const PAUSE_MS = 20;

const KINDS = [
  "pet",
  "pet",
  "message",
  "message",
  "say",
  "say",
  "say",
  "decide",
  "decide",
  "decide",
  "receive",
  "receive",
  "createKey",
  "revokeKey",
  "rotateKey",
];

/**
 * Starts clients that write through both APIs until they are stopped. Each sends one request at a time.
 * @param options.clients number of clients
 * @param options.pauseMs pause of a client after a response (ms)
 * @returns `{ stop }`, which waits for the requests in flight
 */
export function startLoad(url, callers, history, random, { clients: count = CLIENTS, pauseMs = 0 } = {}) {
  const { conversations } = callers;
  let stopped = false;
  /** Created keys that no client has changed; each is changed once. */
  const free = [];
  const client = async () => {
    while (!stopped) {
      const write = compose(history.writes.length, { free, conversations }, random);
      history.writes.push(write);
      const outcome = await send(write, url, callers, history);
      if (outcome !== "answered") {
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      } else if (write.answer.apiKey !== undefined) {
        free.push({ id: write.answer.apiKey.id });
      }
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  const clients = Array.from({ length: count }, client);
  return {
    async stop() {
      stopped = true;
      await Promise.all(clients);
    },
  };
}

function compose(number, { free, conversations }, random) {
  const kind = pick(random, KINDS);
  const marker = `write ${number}`;
  if ((kind === "revokeKey" || kind === "rotateKey") && free.length > 0) {
    const [target] = free.splice(Math.floor(random() * free.length), 1);
    const graceSeconds = random() < 0.5 ? 0 : 3600;
    return { kind, api: "graphql", marker, target, graceSeconds };
  }
  const idempotencyKey = random() < 0.5 ? `idempotency ${number}` : undefined;
  if (kind === "decide") {
    const api = random() < 0.5 ? "rest" : "graphql";
    // A decision about a new contact, or in a conversation where other clients also write.
    const conversation = random() < 0.5 ? pick(random, conversations) : undefined;
    return { kind, api, marker, conversation, idempotencyKey };
  }
  // A contact who also gets messages, or a new one who sends several messages at once.
  if (kind === "receive")
    return { kind, api: "inbound", marker, from: random() < 0.5 ? "person 0" : `sender ${number >> 4}` };
  if (["pet", "message", "say"].includes(kind)) {
    const api = random() < 0.5 ? "rest" : "graphql";
    const conversation = pick(random, conversations);
    return { kind, api, marker, categoryId: number + 1, conversation, idempotencyKey };
  }
  return { kind: "createKey", api: "graphql", marker, idempotencyKey };
}
