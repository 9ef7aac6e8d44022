// Ten webhook lines of one organization answer late, while another organization sends a message a second.
import { createServer } from "node:http";
import { setTimeout } from "node:timers/promises";
import { percentile } from "../figures.mjs";
import { addLines, addMember } from "../fixture.mjs";

export const expect = {
  clientRefused: 0,
  clientFailed: 0,
  clientUnanswered: 0,
  addedP99Ms: 2_000,
  peakMebibytes: 400,
  recoveryMs: 5_000,
  messagesMissing: 0,
  messageP99Ms: 2_000,
};

const LINES = 10;
const LATE_MS = 14_000;
const INTERVAL_MS = 1_000;

const KEY = Buffer.alloc(32, "overload").toString("base64");
export const environment = { INSTANCE_KEY: KEY, ALLOW_PRIVATE_TARGETS: "127.0.0.0/8" };

export const prepare = async ({ url }) => ({
  attacker: await addMember(url, "org-2", "attacker@example.com"),
  other: await addMember(url, "org-1"),
});

/** Starts a receiver of messages. @param answer gets the text of each and its response */
async function startReceiver(answer) {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => answer(body, response));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

/** Adds webhook lines to a receiver. @returns a function that sends a message on a new conversation of each */
async function addConversations(port, member, count, receiver) {
  const webhook = { url: `http://127.0.0.1:${receiver.address().port}/` };
  const { ask, agentId, names } = await addLines(port, member, count, { kind: "webhook", webhook });
  return async (message) => {
    for (const line of names) {
      const address = { kind: "phone", address: `+49151${String(Math.random()).slice(2, 10)}` };
      const input = { agentId, contact: { address }, line, message };
      await ask("mutation ($input: NewConversation!) { openConversation(input: $input) { created } }", {
        input,
      });
    }
  };
}

export async function start({ port, prepared: { attacker, other } }) {
  const arrivals = new Map();
  const late = await startReceiver((_, response) => void setTimeout(LATE_MS).then(() => response.end()));
  const prompt = await startReceiver((body, response) => {
    arrivals.set(JSON.parse(body).text, performance.now());
    response.end();
  });
  return {
    receivers: [late, prompt],
    arrivals,
    attack: await addConversations(port, attacker, LINES, late),
    send: await addConversations(port, other, 1, prompt),
  };
}

export async function run(traffic, { ready: { receivers, arrivals, attack, send } }) {
  await attack("late");
  await attack("late");
  const sentAt = new Map();
  while (!traffic.isOver()) {
    const message = `message ${sentAt.size}`;
    sentAt.set(message, performance.now());
    await send(message);
    await setTimeout(INTERVAL_MS);
  }
  for (const receiver of receivers) {
    receiver.close();
    receiver.closeAllConnections();
  }
  const waits = [...sentAt].flatMap(([message, at]) =>
    arrivals.has(message) ? [arrivals.get(message) - at] : [],
  );
  return { messagesMissing: sentAt.size - waits.length, messageP99Ms: percentile(waits, 99) };
}
