import { Worker } from "bullmq";
import { announceWorker, poster } from "../raw/post.mjs";

const { DATABASE_URL, RECEIVER_URL, DELIVERY_WORKERS } = process.env;
const post = poster(RECEIVER_URL);

const worker = new Worker("messages", ({ id, data }) => post({ ...data, id }), {
  connection: { url: DATABASE_URL, maxRetriesPerRequest: null },
  concurrency: Number(DELIVERY_WORKERS),
  // Redis holds everything in memory.
  removeOnComplete: { count: 0 },
});
worker.on("error", (error) => console.error(error));
await worker.waitUntilReady();
announceWorker(() => worker.close());
