// Loaded into a server before its program, so that the bench can read its memory and profile it.
const { Session } = require("node:inspector");
const { writeFileSync } = require("node:fs");

const session = new Session();
session.connect();
const post = (method, parameters) =>
  new Promise((resolve, reject) => {
    session.post(method, parameters, (error, result) => (error ? reject(error) : resolve(result)));
  });

const ANSWERS = {
  /** Memory in use after garbage collection. */
  memory: () => {
    globalThis.gc();
    const { rss, heapUsed, external } = process.memoryUsage();
    return { rss, heapUsed, external };
  },
  startProfile: async () => {
    await post("Profiler.enable");
    await post("Profiler.setSamplingInterval", { interval: 250 });
    await post("Profiler.start");
  },
  stopProfile: async ({ file }) => {
    const { profile } = await post("Profiler.stop");
    writeFileSync(file, JSON.stringify(profile));
  },
};

process.on("message", async (message) => {
  process.send({ answer: await ANSWERS[message.ask](message) });
});
// The channel must not keep the server running.
process.channel.unref();
