import { Logger, makeWorkerUtils } from "graphile-worker";

/** Adds jobs, each in its own transaction, over one connection per concurrent call. */
export async function openProducer({ url, connections, isOrdered = false }) {
  const utils = await makeWorkerUtils({
    connectionString: url,
    maxPoolSize: connections,
    logger: new Logger(() => () => {}),
  });
  await utils.migrate();
  return {
    add: (message) =>
      utils.addJob("send", message, isOrdered ? { queueName: message.conversationId } : undefined),
    close: () => utils.release(),
  };
}
