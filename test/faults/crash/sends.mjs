import { setTimeout } from "node:timers/promises";
import { pick, seeded } from "../../bench/random.mjs";
import { verifyEndpoint, verifyEvents } from "./events.mjs";
import { OWNER, spawnGateway } from "./gateway.mjs";
import { startReceiver } from "./receivers.mjs";
import { ask } from "./writes.mjs";

const CLIENTS = 12;
const PAUSE_MS = 50;
/** Max time to send messages before a kill (ms). */
const MAX_LOAD_MS = 500;
const MAX_DOWN_MS = 300;
/** Max time between the start of a lost attempt and its takeover (ms). */
const TAKEOVER_LIMIT_MS = 40_000;
/** Max time without an arrival while messages are left (ms); longer than the longest retry delay here. */
const STALL_LIMIT_MS = 60_000;
/** Every n-th conversation is on the line that sends nothing twice. */
const ONCE_EVERY = 10;

const SETTINGS = {
  ALLOW_PRIVATE_TARGETS: "127.0.0.0/8",
};

const SIGN_IN = "mutation ($input: SignInInput!) { signIn(input: $input) { token } }";
const CREATE_LINE = "mutation ($input: CreateLineInput!) { createLine(input: $input) { signingSecret } }";
const CREATE_ENDPOINT =
  "mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { signingSecret } }";
const PUT = "mutation ($input: PutContactInput!) { putContact(input: $input) { contact { id } } }";
const OPEN =
  "mutation ($input: OpenConversationInput!) { openConversation(input: $input) { conversation { id } } }";
const SAY = `mutation ($id: ID!, $message: String!, $idempotencyKey: String) {
  sendToConversation(input: { id: $id, text: $message, idempotencyKey: $idempotencyKey }) { id }
}`;

/**
 * Kills one or both of two processes, or their database, while they send messages to webhook receivers. Then checks
 * that the messages arrived in order, each with a single ID.
 */
export async function runSends(place, history, options) {
  const { kills, seed, conversations, messages, freezeSeconds, expireLeases, verbose } = options;
  const random = seeded(seed);
  const database = await place.create();
  const spawn = () => spawnGateway(database.url, SETTINGS);
  const gateways = [spawn()];
  await gateways[0].listening;
  gateways.push(spawn());
  const url = async () => (await pick(random, gateways)).listening;
  const first = await gateways[0].listening;
  const key = gateways[0].firstKey();
  const { token } = (await ask(first, undefined, SIGN_IN, { input: OWNER })).signIn;
  const [{ id: agentId }] = (await ask(first, token, "{ agents { id } }")).agents;

  /** Repeats unanswered requests, which changes nothing if they were accepted. */
  const insist = async (...request) => {
    for (;;) {
      try {
        return await ask(await url(), ...request);
      } catch {
        await setTimeout(PAUSE_MS);
      }
    }
  };
  const receivers = {
    retry: await startReceiver(random),
    fail: await startReceiver(random, { isBusy: false }),
  };
  for (const [whenUncertain, receiver] of Object.entries(receivers)) {
    const webhook = { url: receiver.url, addressKind: "phone" };
    const input = { agentId, name: whenUncertain, settings: { webhook }, whenUncertain };
    receiver.expect((await ask(first, token, CREATE_LINE, { input })).createLine.signingSecret);
  }
  const follower = await startReceiver(random, { isReliable: true });
  const { createWebhookEndpoint } = await ask(first, token, CREATE_ENDPOINT, {
    input: { agentId, url: follower.url },
  });
  follower.expect(createWebhookEndpoint.signingSecret);
  const opened = [];
  await inParallel(
    Array.from({ length: conversations }, (_, i) => i),
    async (i) => {
      const address = { kind: "phone", address: `+49151${10_000_000 + i}` };
      const { contact } = (await insist(key, PUT, { input: { addresses: [address] } })).putContact;
      const line = i % ONCE_EVERY === 0 ? "fail" : "retry";
      const { openConversation } = await insist(key, OPEN, {
        input: { contact: { id: contact.id }, line: { name: line } },
      });
      opened[i] = { id: openConversation.conversation.id, line };
    },
  );

  const accepted = new Map();
  const say = async (number) => {
    const { id, line } = opened[number % conversations];
    const idempotencyKey = `say ${number}`;
    const said = await insist(key, SAY, { id, message: String(number), idempotencyKey });
    accepted.set(said.sendToConversation.id, { number, conversation: id, line });
  };
  const respawn = async (which) => {
    gateways[which] = spawn();
    await gateways[which].listening;
  };
  const KILLS = {
    async load() {
      const which = random() < 0.5 ? 0 : 1;
      await gateways[which].kill();
      await respawn(which);
    },
    /** Kills both processes; afterwards, all leases belong to dead processes. */
    async both() {
      await Promise.all(gateways.map((gateway) => gateway.kill()));
      await database.expireLeases();
      await Promise.all([respawn(0), respawn(1)]);
    },
    async database() {
      await place.kill(random() < 0.5 ? "SIGKILL" : "SIGQUIT", random() * MAX_DOWN_MS);
      for (const [which, gateway] of gateways.entries())
        if (gateway.hasEnded) {
          history.violate("other", `a process ended with its database: ${gateway.complaints()}`);
          await respawn(which);
        }
    },
    /** Freezes a process for longer than a lease; its later work must change nothing. */
    async freeze() {
      const [, peer] = gateways;
      peer.signal("SIGSTOP");
      await setTimeout(freezeSeconds * 1000);
      peer.signal("SIGCONT");
    },
  };
  const sorts = Array.from({ length: kills }, (_, i) =>
    place.kill !== undefined && i % 4 === 3 ? "database" : expireLeases ? "both" : "load",
  );
  if (freezeSeconds > 0) sorts.splice(Math.floor(kills / 2), 0, "freeze");
  const total = conversations * messages;

  try {
    let sent = 0;
    for (const [i, sort] of sorts.entries()) {
      const until = Math.floor((total * (i + 1)) / sorts.length);
      // A conversation's messages are sent one after the other, with numbers that are `conversations` apart.
      const load = sendAll(sent, until, conversations, say);
      sent = until;
      await setTimeout(random() * MAX_LOAD_MS);
      await KILLS[sort]();
      history.sends.kills[sort] += 1;
      await load;
      if (verbose) console.log(`kill ${i + 1}: ${sort}, ${accepted.size} accepted`);
    }
    await allArrived(database, [...Object.values(receivers), follower], history);
    const tables = await database.tables();
    verifySends(tables, receivers, accepted, total, history);
    verifyEvents(tables, history);
    verifyEndpoint(tables, follower, history);
  } finally {
    for (const gateway of gateways) {
      gateway.signal("SIGCONT");
      await gateway.kill();
    }
    for (const receiver of [...Object.values(receivers), follower]) await receiver.close();
  }
}

async function inParallel(items, work) {
  const left = [...items];
  const client = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** Sends numbered messages, in order within each conversation. */
async function sendAll(from, until, conversations, say) {
  const byConversation = new Map();
  for (let number = from; number < until; number += 1) {
    const own = byConversation.get(number % conversations) ?? [];
    byConversation.set(number % conversations, [...own, number]);
  }
  await inParallel(byConversation.values(), async (numbers) => {
    for (const number of numbers) await say(number);
  });
}

/** Waits until no message or event is left; reports a fault if nothing arrives for too long. */
async function allArrived(database, receivers, history) {
  for (;;) {
    const { messages, lanes, unseen } = await database.tables();
    const areSent = messages.every(({ status }) => status === "sent" || status === "failed");
    if (areSent && lanes.length === 0 && unseen.length === 0) return;
    const lastAt = Math.max(...receivers.map((receiver) => receiver.lastAt()));
    if (Date.now() - lastAt > STALL_LIMIT_MS)
      return history.violate("other", "messages or events are left, and none arrives");
    await setTimeout(500);
  }
}

function verifySends({ messages, attempts, lanes }, receivers, accepted, total, history) {
  const { violate, sends } = history;
  const taken = new Map([...receivers.retry.taken, ...receivers.fail.taken]);
  sends.messages = accepted.size;
  if (accepted.size !== total) violate("other", `${accepted.size} of ${total} messages were accepted`);
  if (messages.length !== total)
    violate("doubled", `${messages.length} messages are there instead of ${total}`);
  for (const message of messages) {
    const known = accepted.get(message.id);
    if (known === undefined) violate("doubled", `message ${message.message} is there a second time`);
    else if (message.status === "sent" && !taken.has(message.id))
      violate("lost", `message ${known.number} is sent, and did not arrive`);
    else if (message.status !== "sent" && known.line === "retry")
      violate("lost", `message ${known.number} is ${message.status}`);
    else if (message.status === "failed") {
      sends.uncertain += 1;
      if (message.error_code !== "uncertain")
        violate("lost", `message ${known.number}: ${message.error_code}`);
    }
  }
  for (const { requestsOf, taken: arrived, counts } of Object.values(receivers)) {
    sends.requests += counts.requests;
    sends.repeats += counts.repeats;
    if (counts.forged > 0) violate("other", `${counts.forged} requests did not verify`);
    const last = new Map();
    for (const [id, { conversationId, text }] of arrived) {
      const number = Number(text);
      if (!accepted.has(id))
        violate("doubled", `message ${text} arrived under an ID that was never answered`);
      if (number < (last.get(conversationId) ?? -1)) violate("other", `message ${text} was overtaken`);
      last.set(conversationId, number);
    }
    if (receivers.fail.requestsOf !== requestsOf) continue;
    for (const [id, requests] of requestsOf)
      if (requests > 1)
        violate("doubled", `${id} was sent ${requests} times on a line that sends nothing twice`);
  }
  for (const { started_at, ended_at, code, message_id } of attempts) {
    if (ended_at === null) violate("other", `an attempt of ${message_id} has no end`);
    if (code !== "process_lost") continue;
    sends.takeovers += 1;
    const ms = Date.parse(ended_at) - Date.parse(started_at);
    sends.slowestTakeoverMs = Math.max(sends.slowestTakeoverMs, ms);
    if (ms > TAKEOVER_LIMIT_MS) violate("other", `${message_id} was taken over after ${ms / 1000} s`);
  }
  if (lanes.length > 0) violate("other", `${lanes.length} lanes are left without a message`);
}
