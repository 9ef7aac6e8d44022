import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pick, seeded } from "../bench/random.mjs";
import { createAgents } from "./agents.mjs";
import { runCommand } from "./command.mjs";
import { spawnGateway } from "./crash/gateway.mjs";
import { createPlace } from "./crash/place.mjs";
import { ask } from "./crash/writes.mjs";
import { createClock } from "./policy/clock.mjs";
import { verify } from "./policy/verify.mjs";
import { changes, isChange, WINDOWS, ZONES } from "./policy/windows.mjs";

// `npm run test:policy`: sends messages around the nights when clocks change, while processes are killed.

const USAGE = `npm run test:policy -- [options]
  --engine sqlite|postgres   the database (postgres)
  --processes <n>            how many share it (8, on SQLite 2)
  --rounds <n>               how often an agent visits a time at which windows open or close (1000)
  --agents <n>               how many of them do so side by side (25)
  --seed <n>                 decides what is sent and killed (random, and printed)
  --verbose                  a line for each time`;

const CAPS = [
  { max: 3, within: "PT2H" },
  { max: 6, within: "P1D" },
];
const TOPICS = { news: { title: "News", default: "in" }, offers: { title: "Offers", default: "out" } };
const UNPROMPTED = {
  plain: "About no topic",
  news: { text: "News", topic: "news" },
  offer: { text: "Offer", topic: "offers" },
};
const TEMPLATES = { ...UNPROMPTED, alert: { text: "Alert", urgent: true, topic: "news" } };
const DOCUMENT = {
  format: 1,
  situations: Object.fromEntries(Object.keys(TEMPLATES).map((type) => [type, {}])),
  templates: TEMPLATES,
  policy: { windows: WINDOWS, caps: CAPS, topics: TOPICS },
  rules: Object.keys(TEMPLATES).map((id) => ({ id, on: id, do: [{ send: id }] })),
};

const LINES = ["one", "two"];
/** Duration of a round before and after a window opens or closes (ms). */
const BEFORE_MS = 8_000;
const AFTER_MS = 5_000;
const MAX_PAUSE_MS = 700;
/** Share of the messages that go to contacts whose window is opening or closing. */
const CONCERNED = 0.5;
/** Shares of requests that the receiver temporarily rejects or does not answer. */
const TROUBLE = { busy: 0.01, broken: 0.01 };
const KILLS = 0.6;
/** Share of the messages during which the contact opts in or out, and the share of opt-outs among these changes. */
const CONSENTS = 0.4;
const OPT_OUTS = 0.35;

const CREATE_LINE = "mutation ($input: CreateLineInput!) { createLine(input: $input) { line { id } } }";
const PUT = "mutation ($input: PutContactInput!) { putContact(input: $input) { contact { id } } }";
const OPEN =
  "mutation ($input: OpenConversationInput!) { openConversation(input: $input) { conversation { id } } }";

async function startReceiver(random) {
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const chance = random();
      if (chance < TROUBLE.busy) response.writeHead(503, { "retry-after": "1" }).end();
      else if (chance < TROUBLE.busy + TROUBLE.broken) response.destroy();
      else response.end();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

/** Adds a contact in each zone, with a conversation on each line. */
async function openConversations(url, key) {
  const conversations = [];
  for (const [i, zone] of ZONES.entries()) {
    const addresses = [{ kind: "phone", address: `+49151${10_000_000 + i}` }];
    const { contact } = (await ask(url, key, PUT, { input: { timezone: zone, addresses } })).putContact;
    for (const name of LINES) {
      const input = { contact: { id: contact.id }, line: { name } };
      const { conversation } = (await ask(url, key, OPEN, { input })).openConversation;
      conversations.push({ id: conversation.id, contactId: contact.id, zone });
    }
  }
  return conversations;
}

async function run({ engine, processes, rounds, agents: count, seed, verbose }) {
  const random = seeded(seed);
  const folder = await mkdtemp(join(tmpdir(), "gateway-policy-"));
  const clock = createClock(folder);
  const visits = Math.ceil(rounds / count);
  const times = changes(visits);
  clock.jumpTo(times[0] - 60 * 60_000);
  const place = await createPlace(engine);
  const database = await place.create();
  const receiver = await startReceiver(random);
  const spawn = () =>
    spawnGateway(database.url, {
      ...clock.settings,
      ALLOW_PRIVATE_TARGETS: "127.0.0.0/8",
      RETENTION_ATTEMPTS_DAYS: "0",
      DATABASE_POOL_SIZE: "6",
    });
  const gateways = [spawn()];
  try {
    const first = await gateways[0].listening;
    const agents = await createAgents(first, count, DOCUMENT, async (token, agentId) => {
      for (const name of LINES) {
        const settings = { webhook: { url: receiver.url, addressKind: "phone" } };
        await ask(first, token, CREATE_LINE, { input: { agentId, name, settings } });
      }
    });
    for (const agent of agents) agent.conversations = await openConversations(first, agent.key);
    while (gateways.length < processes) {
      gateways.push(spawn());
      await gateways.at(-1).listening;
    }

    const counts = { requests: 0, rejected: 0, kills: 0 };
    const request = async (key, method, path, body) => {
      counts.requests += 1;
      try {
        const response = await fetch((await pick(random, gateways).listening) + path, {
          method,
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(10_000),
        });
        await response.arrayBuffer();
        if (response.ok) return true;
      } catch {
        // The process that got the request was killed.
      }
      counts.rejected += 1;
      return false;
    };
    const send = (key, { id: conversationId }) => {
      const chance = random();
      if (chance < 0.2)
        return request(key, "POST", `/agent/conversations/${conversationId}/messages`, {
          message: "By a client",
        });
      const type = chance < 0.25 ? "alert" : pick(random, Object.keys(UNPROMPTED));
      return request(key, "POST", "/agent/decisions", { situation: { type, data: {} }, conversationId });
    };
    const consents = [];
    const setConsent = async (key, { contactId }) => {
      const topic = pick(random, ["*", ...Object.keys(TOPICS)]);
      const state = random() < OPT_OUTS ? "out" : "in";
      const consent = { contactId, topic, state, from: clock.now(), until: Number.POSITIVE_INFINITY };
      consents.push(consent);
      if (await request(key, "PUT", `/agent/contacts/${contactId}/consents/${topic}`, { state }))
        consent.until = clock.now();
    };
    const act = async ({ key, conversations }, at) => {
      const concerned = conversations.filter(({ zone }) => isChange(zone, at));
      const place = pick(random, random() < CONCERNED && concerned.length > 0 ? concerned : conversations);
      await Promise.all([send(key, place), random() < CONSENTS && setConsent(key, place)]);
    };
    const visited = [];
    for (let visit = 0; visit < visits; visit++) {
      const at = times[Math.floor((visit * times.length) / visits)];
      if (at - BEFORE_MS < clock.now()) continue;
      clock.jumpTo(at - BEFORE_MS);
      visited.push({ from: clock.now(), until: at + AFTER_MS });
      let isOver = false;
      const clients = agents.map(async (agent) => {
        while (!isOver) {
          await setTimeout(random() * MAX_PAUSE_MS);
          await act(agent, at);
        }
      });
      if (random() < KILLS) {
        await setTimeout(random() * BEFORE_MS * 1.3);
        const which = Math.floor(random() * gateways.length);
        await gateways[which].kill();
        counts.kills += 1;
        gateways[which] = spawn();
        await gateways[which].listening;
      }
      await setTimeout(Math.max(0, at + AFTER_MS - clock.now()));
      isOver = true;
      await Promise.all(clients);
      if (verbose) console.log(`time ${visit + 1}: ${new Date(at).toISOString()}`, JSON.stringify(counts));
    }
    await setTimeout(2_000);
    counts.rounds = visited.length * count;
    const conversations = agents.flatMap((agent) => agent.conversations);
    const about = { conversations, visited, caps: CAPS, topics: TOPICS, consents };
    return { ...verify(await database.tables(), about), ...counts };
  } finally {
    for (const gateway of gateways) await gateway.kill();
    receiver.close();
    await place.close();
    await rm(folder, { recursive: true, force: true });
  }
}

await runCommand(run, {
  usage: USAGE,
  processes: 8,
  numbers: { rounds: 1000, agents: 25 },
  flags: ["verbose"],
});
