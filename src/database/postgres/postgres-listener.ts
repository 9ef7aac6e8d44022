import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";

const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 10_000;
/** Max time for the server to close a connection before it is destroyed (ms). */
const CLOSE_TIMEOUT_MS = 500;

/**
 * Calls a listener on every notification on a channel (LISTEN), on a separate connection that is reopened whenever it
 * is lost. Notifications may be lost in the meantime, so each new connection also calls the listener.
 * @param createClient creates an unopened connection
 * @param channel a plain SQL identifier
 * @returns a function that stops listening
 */
export function listenOn(
  createClient: () => Client,
  channel: string,
  listener: () => void,
): () => Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  const run = async () => {
    for (let retryMs = FIRST_RETRY_MS; !signal.aborted; retryMs = Math.min(2 * retryMs, MAX_RETRY_MS)) {
      const client = createClient();
      const lost = new Promise<void>((resolve) => {
        client.on("error", () => resolve());
        client.on("end", resolve);
      });
      client.on("notification", listener);
      const listening = client
        .connect()
        .then(() => client.query(`LISTEN ${channel}`))
        .then(
          () => true,
          () => false,
        );
      // An unresponsive server must not delay the stop.
      if ((await Promise.race([listening, stopped])) === true) {
        retryMs = FIRST_RETRY_MS;
        listener();
        await Promise.race([lost, stopped]);
      }
      await close(client);
      await pause(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  const done = run();
  return () => {
    stop.abort();
    return done;
  };
}

/** Closes a connection, even if its server does not respond. */
async function close(client: Client): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), CLOSE_TIMEOUT_MS);
  await client.end().catch(() => undefined);
  clearTimeout(timer);
}
