import { installContenders, versionsOf } from "../contenders/install.mjs";
import { QUEUES } from "../contenders/queues.mjs";
import { postgresStore } from "../data.mjs";
import { startPostgres } from "../postgres.mjs";
import { CALM_PER_SECOND, drain, flow } from "../queues/measure.mjs";
import { startProducer } from "../queues/producer.mjs";
import { startReceiver } from "../queues/receiver.mjs";
import { CONCURRENCY, makeConversations, startProduct, startQueues } from "../queues/systems.mjs";
import { summarize, turns } from "../stats.mjs";

const WORKERS = [8, 32];
/** The system that the others are compared with. */
const REFERENCE = "webhook";

/**
 * Compares the product's webhook and local lines, in turns, with job queues whose jobs only post messages to the same
 * receiver. All send messages to 1,000 conversations: first a backlog that was queued while the worker was stopped,
 * then messages that are queued while it runs, as fast as 32 concurrent calls allow and at a slow pace.
 */
export async function queues(tools) {
  const { store, databasePid, postgres: running, options, say } = tools;
  installContenders(QUEUES);
  const size = options.quick
    ? { backlog: 300, flow: 200, calm: 50 }
    : { backlog: 2_000, flow: 1_000, calm: 100 };
  const { rounds } = options;
  const receiver = await startReceiver();
  const producer = startProducer();
  const postgres = running ?? (await startPostgres());
  const all = { drain: [], flow: [] };
  try {
    const made = await makeConversations(store, receiver);
    for (const workers of WORKERS) {
      const product = await startProduct({ ...tools, made, workers, receiver, databasePid });
      // More workers do not change systems that are bound by the disk or use no workers.
      const names = QUEUES.map(({ name }) => name).filter(
        (name) => workers === WORKERS[0] || name !== "bullmq-durable",
      );
      const queues = await startQueues({
        ...{ names, workers, receiver, postgres, conversations: made.conversations },
        postgresStore: postgresStore(store.directory, postgres.url),
      });
      try {
        const systems = { ...product.systems, ...queues.systems };
        if (workers !== WORKERS[0]) delete systems.local;
        const run = async (measure, what) => {
          const results = await inTurns(
            { systems, rounds, say: (text) => say(`${workers} workers, ${what}, ${text}`) },
            (system) => measure({ system, producer, size }),
          );
          all[what].push({ workers, results });
        };
        await run(drain, "drain");
        if (workers === WORKERS[0]) await run(flow, "flow");
      } finally {
        await producer.disconnect();
        await queues.stop();
        await product.stop();
      }
    }
  } finally {
    await producer.close();
    await receiver.close();
    if (running === undefined) await postgres.stop();
  }
  const contenders = QUEUES.map((queue) => ({
    name: queue.name,
    title: queue.title,
    versions: versionsOf(queue),
  }));
  return {
    conversations: 1_000,
    concurrency: CONCURRENCY,
    calm: CALM_PER_SECOND,
    rounds,
    size,
    contenders,
    ...all,
  };
}

/** Runs each system once as a warm-up, then in turns, each between two turns of the product's webhook line. */
async function inTurns({ systems, rounds, say }, measure) {
  const others = Object.keys(systems).filter((name) => name !== REFERENCE);
  for (const name of [REFERENCE, ...others]) await measure(systems[name]);
  const results = [];
  for (const name of turns(REFERENCE, others, rounds)) {
    const values = await measure(systems[name]);
    results.push({ name, values });
    say(`${name}: ${Math.round(values.perSecond)} messages/s`);
  }
  return summarize(REFERENCE, results);
}
