import { once } from "node:events";
import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

/** Shares of requests that are answered late, rejected temporarily, or not answered. */
const TROUBLE = { slow: 0.1, busy: 0.02, broken: 0.02 };
/** The shares if every failure delays later messages by a minute or more. */
const LITTLE_TROUBLE = { ...TROUBLE, busy: 0, broken: 0 };
const MAX_DELAY_MS = 200;

/**
 * Starts a webhook receiver that verifies requests and remembers each `webhook-id`, so that it accepts every message
 * once, however often it is sent.
 * @param options.isBusy true if it temporarily rejects some requests
 * @param options.isReliable true if it answers every request
 */
export async function startReceiver(random, { isBusy = true, isReliable = false } = {}) {
  const trouble = isReliable ? LITTLE_TROUBLE : TROUBLE;
  const taken = new Map();
  const counts = { requests: 0, repeats: 0, forged: 0 };
  const requestsOf = new Map();
  let webhook;
  let lastAt = Date.now();
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    counts.requests += 1;
    let message;
    try {
      message = webhook.verify(body, request.headers);
    } catch {
      counts.forged += 1;
      response.writeHead(401).end();
      return;
    }
    requestsOf.set(message.id, (requestsOf.get(message.id) ?? 0) + 1);
    const chance = random();
    if (isBusy && chance < trouble.busy) return response.writeHead(503, { "retry-after": "1" }).end();
    if (taken.has(message.id)) counts.repeats += 1;
    else {
      taken.set(message.id, message);
      lastAt = Date.now();
    }
    if (chance < trouble.busy + trouble.broken) return response.destroy();
    const isSlow = chance < trouble.busy + trouble.broken + trouble.slow;
    setTimeout(() => response.end(), isSlow ? random() * MAX_DELAY_MS : 0);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    /** @param secret the signing secret of the sending line */
    expect(secret) {
      webhook = new Webhook(secret);
    },
    /** The accepted messages or events, by ID, in order of arrival. */
    taken,
    /** Number of requests for each message. */
    requestsOf,
    counts,
    /** Time when the last message was accepted. */
    lastAt: () => lastAt,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
