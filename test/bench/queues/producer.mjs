import { startChild } from "./child.mjs";

/** Starts the process that queues messages, one call for each. */
export function startProducer() {
  const child = startChild("producer-child.mjs");
  return {
    /**
     * Queues messages, and waits until all of them are accepted.
     * @param task.module exports `openProducer`, which `task.target` is for
     * @param task.conversations their IDs; each gets the same number of messages
     * @param task.perSecond how many to queue in a second; otherwise as many as `task.concurrency` calls at a time allow
     * @returns when it began, by the clock that all processes share (ns)
     */
    async produce(task) {
      child.send(task);
      const { startedAt } = await child.next();
      return BigInt(startedAt);
    },
    /** Closes its connections, before the systems that they lead to stop. */
    async disconnect() {
      child.send("close");
      await child.next();
    },
    close: () => child.close(),
  };
}
