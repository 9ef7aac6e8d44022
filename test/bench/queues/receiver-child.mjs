// Responds to every POST with 200, and reports when all expected messages have arrived; see receiver.mjs.
import { createServer } from "node:http";
import { createHistogram } from "node:perf_hooks";

let expected = 0;
let seen = new Set();
let repeated = 0;
let histogram = createHistogram();

const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    response.writeHead(200, { "content-length": 0 }).end();
    arrived(JSON.parse(Buffer.concat(chunks).toString()).text);
  });
});

/** @param text starts with the time when the message was queued, by the clock that all processes share (ns) */
function arrived(text) {
  const now = process.hrtime.bigint();
  if (seen.has(text)) {
    repeated += 1;
    return;
  }
  seen.add(text);
  histogram.record(Math.max(1, Number((now - BigInt(text.split(" ")[0])) / 1000n)));
  if (seen.size !== expected) return;
  const ms = (percent) => histogram.percentile(percent) / 1000;
  process.send({ at: String(now), repeated, p50: ms(50), p99: ms(99) });
}

process.on("message", ({ expect }) => {
  expected = expect;
  seen = new Set();
  repeated = 0;
  histogram = createHistogram();
  process.send({ expecting: expect });
});
process.on("disconnect", () => process.exit(0));
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
