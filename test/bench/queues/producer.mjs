import { startChild } from "./child.mjs";

/** Starts the process that queues messages, with one call per message. */
export function startProducer() {
  const child = startChild("producer-child.mjs");
  return {
    /**
     * Queues messages, and waits until all of them are accepted.
     * @param task.module exports `openProducer`, which gets `task.target`
     * @param task.conversations IDs of the conversations; each gets the same number of messages
     * @param task.perSecond messages to queue per second; by default, as many as `task.concurrency` concurrent calls
     *   allow
     * @returns the start time, by the clock that all processes share (ns)
     */
    async produce(task) {
      child.send(task);
      const { startedAt } = await child.next();
      return BigInt(startedAt);
    },
    /** Closes the connections; call it before stopping the systems. */
    async disconnect() {
      child.send("close");
      await child.next();
    },
    close: () => child.close(),
  };
}
