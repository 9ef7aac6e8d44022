import { Queue } from "bullmq";

/** Adds jobs over one connection, which pipelines concurrent calls. */
export async function openProducer({ url }) {
  const queue = new Queue("messages", { connection: { url } });
  await queue.waitUntilReady();
  return {
    add: (message) => queue.add("send", message),
    close: () => queue.close(),
  };
}
