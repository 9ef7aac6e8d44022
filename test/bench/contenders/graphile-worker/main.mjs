// A worker with the batching that https://worker.graphile.org/docs/performance recommends for throughput.
import { Logger, run } from "graphile-worker";
import { announceWorker, poster } from "../raw/post.mjs";

const { DATABASE_URL, RECEIVER_URL, DELIVERY_WORKERS } = process.env;
const concurrentJobs = Number(DELIVERY_WORKERS);
const post = poster(RECEIVER_URL);

const runner = await run({
  preset: {
    worker: {
      connectionString: DATABASE_URL,
      concurrentJobs,
      maxPoolSize: concurrentJobs + 2,
      localQueue: { size: 500 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
      logger: new Logger(() => () => {}),
    },
  },
  noHandleSignals: true,
  taskList: { send: (message, { job }) => post({ ...message, id: job.id }) },
});
announceWorker(() => runner.stop());
