import { targetOf } from "../measure.mjs";
import { ask, PROBED } from "../probe.mjs";
import { startServer } from "../server.mjs";

const BATCHES = 10;

/** The shares of the workloads in each tenth of the requests. Documents that never repeat fill caches. */
const SHARES = {
  "rest-list": 0.2,
  "rest-pages": 0.1,
  "rest-pet": 0.3,
  "rest-whoami": 0.2,
  "graphql-pet": 0.1,
  "graphql-literals": 0.08,
  "rest-create": 0.02,
};

const mebibytes = (bytes) => bytes / 1024 / 1024;

/**
 * Measures the product's memory during a million requests of all kinds, after each tenth and a garbage collection. The
 * first half fills pools, caches and compiled code, so growth is measured over the second half.
 */
export async function memory({ product, data, generator, options, say }) {
  const total = options.quick ? 20_000 : 1_000_000;
  const server = await startServer(product, await data.copy(), PROBED);
  try {
    const samples = [{ requests: 0, ...(await sample(server)) }];
    for (let batch = 1; batch <= BATCHES; batch++) {
      for (const [workload, share] of Object.entries(SHARES)) {
        const requests = Math.round((total / BATCHES) * share);
        const task = { ...targetOf(server, data), workload, connections: options.connections[0], requests };
        await generator.load({ ...task, turn: batch });
      }
      samples.push({ requests: (total / BATCHES) * batch, ...(await sample(server)) });
      const { requests, heap, resident } = samples.at(-1);
      say(`${requests} requests: ${heap.toFixed(1)} MiB of heap, ${Math.round(resident)} MiB resident`);
    }
    const settled = samples[BATCHES / 2];
    const last = samples[BATCHES];
    return {
      total,
      samples,
      heapGrowth: last.heap - settled.heap,
      residentGrowth: last.resident - settled.resident,
    };
  } finally {
    await server.stop();
  }
}

async function sample(server) {
  const { rss, heapUsed, external } = await ask(server, "memory");
  return { resident: mebibytes(rss), heap: mebibytes(heapUsed), external: mebibytes(external) };
}
