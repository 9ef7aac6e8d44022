// 200 decisions of an organization call a model server that accepts connections but never responds, while another
// organization decides and sends messages.
import { createServer } from "node:net";
import { setTimeout } from "node:timers/promises";
import { percentile } from "../figures.mjs";
import { get, post, withDatabase } from "../fixture.mjs";

export const expect = {
  addedDecisionP99Ms: 1_000,
  addedDeliveryP99Ms: 1_000,
};

const DECISIONS = 200;
const CONNECTIONS = 16;
const QUIET_SAMPLES = 30;
const WARM_UP_SAMPLES = 10;
const INTERVAL_MS = 100;
const POLL_INTERVAL_MS = 10;

const DOCUMENT = {
  format: 1,
  situations: { question: {} },
  templates: { help: "Be kind." },
  rules: [{ id: "help", on: "question", do: [{ ask: { prompt: "help" } }] }],
};

const model = createServer((socket) => {
  socket.on("error", () => {});
  socket.unref();
}).unref();
await new Promise((resolve) => model.listen(0, "127.0.0.1", resolve));

export const environment = {
  MODEL_URL: `http://127.0.0.1:${model.address().port}/v1`,
  MODEL_NAME: "silent",
  DELIVERY_WORKERS: "8",
};

export const prepare = ({ url, secrets: [key] }) =>
  withDatabase(url, async (query) => {
    await query(
      "UPDATE configuration_version SET document = $1 WHERE agent_id = (SELECT id FROM agent WHERE slug = 'agent-2')",
      [JSON.stringify(DOCUMENT)],
    );
    return key;
  });

const decision = (key, type) => ({
  method: "POST",
  path: "/agent/decisions",
  headers: { authorization: `Bearer ${key}` },
  body: { situation: { type, data: {} } },
});

/** @returns the duration of a decision and of a message's delivery (ms) */
async function sample(port, key) {
  const from = performance.now();
  await post(port, decision(key, "order.shipped"));
  const decided = performance.now();
  const headers = { authorization: `Bearer ${key}` };
  const { answer } = await post(port, { path: "/messages", headers, body: { message: "Hello" } });
  while ((await get(port, { path: `/messages/${answer.id}`, headers })).answer.status !== "delivered")
    await setTimeout(POLL_INTERVAL_MS);
  return { decision: decided - from, delivery: performance.now() - decided };
}

const p99 = (samples, name) =>
  percentile(
    samples.map((each) => each[name]),
    99,
  );

export async function start({ port, prepared: key }) {
  const quiet = [];
  for (let i = 0; i < QUIET_SAMPLES; i++) quiet.push(await sample(port, key));
  // The first samples load code and data for the others.
  return quiet.slice(WARM_UP_SAMPLES);
}

export async function run(traffic, { key, prepared, ready: quiet }) {
  await traffic.closedLoop(CONNECTIONS, () => traffic.send(decision(key, "question")), DECISIONS);
  const samples = [];
  while (!traffic.isOver()) {
    samples.push(await sample(traffic.port, prepared));
    await setTimeout(INTERVAL_MS);
  }
  return {
    quietDecisionP99Ms: p99(quiet, "decision"),
    decisionP99Ms: p99(samples, "decision"),
    addedDecisionP99Ms: p99(samples, "decision") - p99(quiet, "decision"),
    quietDeliveryP99Ms: p99(quiet, "delivery"),
    deliveryP99Ms: p99(samples, "delivery"),
    addedDeliveryP99Ms: p99(samples, "delivery") - p99(quiet, "delivery"),
  };
}
