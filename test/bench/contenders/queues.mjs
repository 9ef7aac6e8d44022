const POSTED = ["graphile-worker", "pg"];

/**
 * Job queues whose jobs post a message to a URL, like the product's webhook lines.
 * - `entry`: path of the worker in this folder; it is started like a server, with `DELIVERY_WORKERS` and `RECEIVER_URL`
 * - `producer`: path of the module that adds jobs, in this folder
 * - `database`: the database for its jobs; `fsync` is Redis's `appendfsync`
 * - `env`: environment of the worker; `options`: options of the producer
 * - `packages`: the packages whose versions appear in the results
 */
export const QUEUES = [
  {
    name: "graphile-worker",
    title: "Graphile Worker, jobs in no order",
    entry: "graphile-worker/main.mjs",
    producer: "graphile-worker/producer.mjs",
    database: "postgres",
    packages: POSTED,
  },
  {
    name: "graphile-ordered",
    title: "Graphile Worker, a named queue for each conversation",
    entry: "graphile-worker/main.mjs",
    producer: "graphile-worker/producer.mjs",
    options: { isOrdered: true },
    database: "postgres",
    packages: POSTED,
  },
  {
    name: "bullmq",
    title: "BullMQ, Redis synced every second",
    entry: "bullmq/main.mjs",
    producer: "bullmq/producer.mjs",
    database: "redis",
    fsync: "everysec",
    packages: ["bullmq", "ioredis"],
  },
  {
    name: "bullmq-durable",
    title: "BullMQ, Redis synced at every write",
    entry: "bullmq/main.mjs",
    producer: "bullmq/producer.mjs",
    database: "redis",
    fsync: "always",
    packages: ["bullmq", "ioredis"],
  },
];
