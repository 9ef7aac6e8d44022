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

// `npm run test:reviews`: approves, edits, discards, cancels and hands off proposed messages concurrently, while
// processes are killed.

const USAGE = `npm run test:reviews -- [options]
  --engine sqlite|postgres   the database (postgres)
  --processes <n>            how many share it (3, on SQLite 2)
  --rounds <n>               how many messages are proposed (1000)
  --seed <n>                 decides what is done and killed (random, and printed)`;

const DOCUMENT = {
  format: 1,
  situations: { offer: { n: "string" } },
  templates: { offer: "Offer {{ situation.data.n }}" },
  rules: [{ id: "offer", on: "offer", do: [{ send: "offer", line: "out", review: true }] }],
};

const CREATE_LINE = "mutation ($input: CreateLineInput!) { createLine(input: $input) { line { id } } }";

/** Number of messages that are reviewed concurrently. */
const WORKERS = 12;
const MAX_PAUSE_MS = 150;
const EXPIRES_AFTER_S = 60;
/** Interval at which all waiting messages are made to expire (ms). */
const EXPIRY_INTERVAL_MS = 4_000;
const MAX_KILL_PAUSE_MS = 3_000;
/** Max delay of the messages that a killed process was sending (ms). */
const TAKEOVER_MS = 60_000;

const ENDED = new Set(["sent", "delivered", "read", "canceled", "failed"]);

async function startReceiver() {
  const received = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    received.push({ id: request.headers["webhook-id"], body });
    response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { received, url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

async function run({ engine, processes, rounds, seed }) {
  const random = seeded(seed);
  const folder = await mkdtemp(join(tmpdir(), "gateway-reviews-"));
  const clock = createClock(folder);
  clock.jumpTo(Date.now());
  const place = await createPlace(engine);
  const database = await place.create();
  const receiver = await startReceiver();
  const spawn = () =>
    spawnGateway(database.url, {
      ...clock.settings,
      ALLOW_PRIVATE_TARGETS: "127.0.0.0/8",
      DATABASE_POOL_SIZE: "6",
    });
  const gateways = [spawn()];
  try {
    const first = await gateways[0].listening;
    const [{ key }] = await createAgents(first, 1, DOCUMENT, async (token, agentId) => {
      const more = { expireAfterSeconds: EXPIRES_AFTER_S, whenUncertain: "fail" };
      const settings = { webhook: { url: receiver.url, addressKind: "phone" } };
      await ask(first, token, CREATE_LINE, { input: { agentId, name: "out", settings, ...more } });
    });
    while (gateways.length < processes) {
      gateways.push(spawn());
      await gateways.at(-1).listening;
    }

    const post = async (path, body = {}) => {
      try {
        const response = await fetch((await pick(random, gateways).listening) + path, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(20_000),
        });
        return { status: response.status, body: await response.json() };
      } catch {
        // The process was killed, so the request may or may not have been executed.
        return { status: undefined };
      }
    };
    const acts = [];
    let begun = 0;
    const propose = async (n) => {
      for (;;) {
        const contact = { address: { kind: "phone", address: `+4915${100_000_000 + n}` } };
        const { status, body } = await post("/agent/decisions", {
          situation: { type: "offer", data: { n: String(n) } },
          contact,
        });
        if (status === 201)
          return { id: body.explanation.effects[0].messageId, conversationId: body.conversationId };
      }
    };
    const review = async (n) => {
      const { id, conversationId } = await propose(n);
      const texts = [undefined, `Edited ${n}`];
      const act = async (kind, path, body) => {
        await setTimeout(random() * MAX_PAUSE_MS);
        acts.push({ id, kind, text: body?.message ?? `Offer ${n}`, ...(await post(path, body)) });
      };
      const possible = [
        ...texts.map((message) => () => act("approve", `/messages/${id}/approve`, message && { message })),
        () => act("discard", `/messages/${id}/discard`, { reason: "No" }),
        () => act("handoff", `/agent/conversations/${conversationId}/handoff`),
        () => act("cancel", `/messages/${id}/cancel`),
      ];
      // Some wait until they are about to expire.
      if (random() < 0.2) await setTimeout(random() * EXPIRY_INTERVAL_MS);
      await Promise.all(possible.filter((_, i) => random() < (i < 2 ? 0.6 : 0.25)).map((each) => each()));
    };
    const workers = Array.from({ length: WORKERS }, async () => {
      while (begun < rounds) await review(++begun);
    });
    let isOver = false;
    let kills = 0;
    const killer = (async () => {
      while (!isOver) {
        await setTimeout(random() * MAX_KILL_PAUSE_MS);
        const which = Math.floor(random() * gateways.length);
        await gateways[which].kill();
        kills += 1;
        gateways[which] = spawn();
        await gateways[which].listening;
      }
    })();
    const expirer = (async () => {
      while (!isOver) {
        await setTimeout(EXPIRY_INTERVAL_MS);
        clock.jumpTo(clock.now() + EXPIRES_AFTER_S * 1000);
      }
    })();
    await Promise.all(workers);
    isOver = true;
    await Promise.all([killer, expirer]);
    clock.jumpTo(clock.now() + 2 * EXPIRES_AFTER_S * 1000);
    const until = Date.now() + TAKEOVER_MS;
    const isDone = ({ messages }) => messages.every(({ status }) => ENDED.has(status));
    while (!isDone(await database.tables()) && Date.now() < until) await setTimeout(500);
    return { kills, ...verify(await database.tables(), acts, receiver.received) };
  } finally {
    for (const gateway of gateways) await gateway.kill();
    receiver.close();
    await place.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Compares the requests with the sent messages, without using the service's code. */
function verify({ messages, events, lanes }, acts, received) {
  const proposed = messages.filter(({ proposed_text }) => proposed_text !== null);
  const approvals = countOf(
    events.flatMap(({ type, data }) => (type === "message.approved" ? JSON.parse(data).id : [])),
  );
  const arrivals = countOf(received.map(({ id }) => id));
  const textOf = new Map(
    received.map(({ id, body }) => [id, JSON.parse(body).data?.text ?? JSON.parse(body).text]),
  );
  const accepted = (...kinds) => acts.filter(({ kind, status }) => kinds.includes(kind) && status === 200);
  const approved = accepted("approve");
  const ended = accepted("approve", "discard");
  const wanted = new Map();
  for (const { id, kind, text } of acts)
    if (kind === "approve") wanted.set(id, new Set([...(wanted.get(id) ?? []), text]));
  const ids = (rows) => rows.map(({ id }) => id);
  const count = (status) => proposed.filter((each) => each.status === status).length;
  const failed = (code) => proposed.filter(({ error_code }) => error_code === code).length;
  return {
    proposed: proposed.length,
    requests: acts.length,
    approved: approvals.size,
    sent: arrivals.size,
    "not acknowledged": acts.filter(({ status }) => status === undefined).length,
    discarded: failed("discarded"),
    expired: failed("expired"),
    "handed off": failed("handed_off"),
    canceled: failed("canceled"),
    uncertain: failed("uncertain"),
    delivered: count("sent") + count("delivered"),
    faults: {
      "sent twice": [...arrivals].filter(([, times]) => times > 1).map(([id]) => id),
      "sent, not approved": [...arrivals.keys()].filter((id) => !approvals.has(id)),
      "approved twice": [...approvals].filter(([, times]) => times > 1).map(([id]) => id),
      "two reviews succeeded": [...countOf(ids(ended))].filter(([, times]) => times > 1).map(([id]) => id),
      "approval lost": ids(approved).filter((id) => !approvals.has(id)),
      "discarded, but sent": ids(accepted("discard")).filter((id) => arrivals.has(id)),
      "another text": [...textOf].filter(([id, text]) => !wanted.get(id)?.has(text)).map(([id]) => id),
      "not the acknowledged text": approved
        .filter(({ id, text }) => textOf.has(id) && textOf.get(id) !== text)
        .map(({ id }) => id),
      "no end": ids(messages.filter(({ status }) => !ENDED.has(status))),
      "lanes left": ids(lanes.filter(({ id }) => proposed.some((each) => each.id === id))),
      "odd answer": acts
        .filter(({ status }) => ![200, 409, 503, undefined].includes(status))
        .map((each) => JSON.stringify(each)),
    },
  };
}

function countOf(all) {
  const counts = new Map();
  for (const each of all) counts.set(each, (counts.get(each) ?? 0) + 1);
  return counts;
}

await runCommand(run, { usage: USAGE, processes: 3, numbers: { rounds: 1000 } });
