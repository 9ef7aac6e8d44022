import { startChild } from "./child.mjs";

/** Starts the server that messages are posted to, in a separate process, as a customer's would be. */
export async function startReceiver() {
  const child = startChild("receiver-child.mjs");
  const { port } = await child.next();
  return {
    url: `http://127.0.0.1:${port}/`,
    /**
     * Forgets what has arrived.
     * @returns a function that waits for `count` different messages, and tells when the last one arrived (ns),
     * how many arrived again, and the latencies since they were queued (ms)
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
