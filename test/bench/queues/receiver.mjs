import { startChild } from "./child.mjs";

/** Starts the server that messages are posted to, in a separate process, like a customer's server. */
export async function startReceiver() {
  const child = startChild("receiver-child.mjs");
  const { port } = await child.next();
  return {
    url: `http://127.0.0.1:${port}/`,
    /**
     * Discards the messages that have arrived.
     * @returns a function that waits for `count` different messages, and returns the arrival time of the last one (ns),
     *   the number of duplicates, and the latencies since the messages were queued (ms)
     */
    async expect(count) {
      child.send({ expect: count });
      await child.next();
      return async () => {
        const { at, ...rest } = await child.next();
        return { at: BigInt(at), ...rest };
      };
    },
    close: () => child.close(),
  };
}
