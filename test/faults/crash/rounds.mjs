import { setTimeout } from "node:timers/promises";
import { seeded } from "../../bench/random.mjs";
import { OWNER, spawnGateway } from "./gateway.mjs";
import { startLoad } from "./load.mjs";
import { verify } from "./verify.mjs";
import { ask, present, send } from "./writes.mjs";

/** Max duration of the load before a kill (ms). */
const MAX_LOAD_MS = 500;
/** Max time that a service has to start before a kill (ms). */
const START_TIMEOUT_MS = 900;
/** Max time until a killed database is restarted (ms). */
const MAX_DOWN_MS = 300;
const RECOVERY_LIMIT_MS = 20_000;
/** Max time after a kill until every accepted message is delivered (ms). */
const DELIVERY_LIMIT_MS = 40_000;
/** Longer than a send without a receiver holds a lane (ms). */
const SEND_MS = 1_000;
const CONVERSATIONS = 8;
/** Number of a round's keys to present after the round. */
const PRESENTED = 5;
/** Number of concurrent retries; a restarted database would reject hundreds. */
const RETRYING = 12;
/** Max attempts of a retry while the response is 503, and the pause between them (ms). */
const MAX_ATTEMPTS = 5;
const RETRY_AFTER_MS = 1_000;

/** Decides about new contacts with effects of all kinds, and about known contacts with only a message. */
const DOCUMENT = {
  format: 1,
  situations: { new: { marker: "string" }, known: { marker: "string" } },
  templates: { marker: "{{ situation.data.marker }}" },
  rules: [
    {
      id: "new",
      on: "new",
      do: [{ send: "marker" }, { addTags: ["met"] }],
      once: { per: "contact", within: "P1D" },
    },
    { id: "known", on: "known", do: [{ send: "marker" }] },
  ],
};

const SIGN_IN_AGAIN_MS = 5 * 60_000;
const SIGN_IN = "mutation ($input: SignInInput!) { signIn(input: $input) { token } }";

/** Kills as often as the options say, and checks after each kill that nothing is missing. */
export async function runRounds(place, history, { kills, seed, expireLeases, verbose }) {
  const random = seeded(seed);
  const database = await place.create();
  let gateway = spawnGateway(database.url);
  let url = await gateway.listening;
  const callers = { key: gateway.firstKey() };
  /** Keys can be created only within 15 minutes of a sign-in. */
  const signIn = async () => {
    callers.session = (await ask(url, undefined, SIGN_IN, { input: OWNER })).signIn.token;
    callers.signedInAt = Date.now();
  };
  await signIn();
  callers.agentId = (await ask(url, callers.session, "{ agents { id } }")).agents[0].id;
  await publish(url, callers);
  callers.conversations = await openConversations(url, callers.key);
  callers.line = await openLine(url, callers);
  /** A second process on the same database, which also delivers. */
  let peer = spawnGateway(database.url);
  await peer.listening;

  const start = async () => {
    gateway = spawnGateway(database.url);
    url = await gateway.listening;
  };
  const KILLS = {
    /** Kills the service under load. */
    async load() {
      const load = startLoad(url, callers, history, random);
      await setTimeout(random() * MAX_LOAD_MS);
      await gateway.kill();
      await load.stop();
      await start();
    },
    /** Kills the other process under load. */
    async peer() {
      const load = startLoad(url, callers, history, random);
      await setTimeout(random() * MAX_LOAD_MS);
      await peer.kill();
      await load.stop();
      peer = spawnGateway(database.url);
      await peer.listening;
    },
    /** Kills the service under load, and again while it starts. */
    async start() {
      const load = startLoad(url, callers, history, random);
      await setTimeout(random() * MAX_LOAD_MS);
      await gateway.kill();
      await load.stop();
      gateway = spawnGateway(database.url);
      await setTimeout(random() * START_TIMEOUT_MS);
      await gateway.kill();
      await start();
    },
    /** Kills another service during its first start, on an empty database. */
    async birth() {
      const empty = await place.create();
      const first = spawnGateway(empty.url);
      await setTimeout(random() * START_TIMEOUT_MS);
      await first.kill();
      const second = spawnGateway(empty.url);
      await second.listening;
      verify(await empty.tables(), { ...history, writes: [] });
      await second.kill();
    },
    /** Kills the database under load; the service must keep running. */
    async database() {
      const load = startLoad(url, callers, history, random);
      await setTimeout(random() * MAX_LOAD_MS);
      await place.kill(random() < 0.5 ? "SIGKILL" : "SIGQUIT", random() * MAX_DOWN_MS);
      await load.stop();
      if (peer.hasEnded) {
        history.violate("other", `the second process ended with its database: ${peer.complaints()}`);
        peer = spawnGateway(database.url);
        await peer.listening;
      }
      if (gateway.hasEnded) {
        history.violate("other", `the service ended with its database: ${gateway.complaints()}`);
        await start();
      }
      await recovered(url, history);
    },
  };

  try {
    for (let done = 0; done < kills; done += 1) {
      const sort = sortOf(done, place.kill !== undefined);
      const from = history.writes.length;
      if (Date.now() - callers.signedInAt > SIGN_IN_AGAIN_MS) await signIn();
      await KILLS[sort]();
      history.kills[sort] += 1;
      const { lanes } = await database.tables();
      const written = history.writes.slice(from);
      await retryAll(written, url, callers, history);
      if (expireLeases) {
        await setTimeout(SEND_MS);
        // Only killed sends still hold leases from before the kill, because all others have ended since.
        await database.expireLeases(lanes.flatMap(({ lease }) => lease ?? []));
      }
      await delivered(url, callers.key, history);
      verify(await database.tables(), history);
      await presentKeys(written, url, history);
      if (verbose) console.log(`kill ${done + 1}: ${sort}, ${written.length} writes`);
      if (!history.isSound) {
        console.log(gateway.complaints());
        break;
      }
    }
  } finally {
    await gateway.kill();
    await peer.kill();
  }
}

export async function publish(url, { session, agentId }) {
  const save = `mutation ($agentId: ID!, $document: JSONObject!) {
    saveConfigurationDraft(input: { agentId: $agentId, document: $document, expectedRevision: 0 }) { draft { revision } }
  }`;
  await ask(url, session, save, { agentId, document: DOCUMENT });
  const go =
    "mutation ($agentId: ID!) { publishConfiguration(input: { agentId: $agentId, expectedLiveVersion: 1 }) { version } }";
  await ask(url, session, go, { agentId });
}

/**
 * Opens conversations with new contacts.
 * @returns their IDs
 */
export async function openConversations(url, key) {
  const put = "mutation ($input: PutContactInput!) { putContact(input: $input) { contact { id } } }";
  const open =
    "mutation ($input: OpenConversationInput!) { openConversation(input: $input) { conversation { id } } }";
  const ids = [];
  for (let i = 0; i < CONVERSATIONS; i += 1) {
    const { contact } = (
      await ask(url, key, put, { input: { addresses: [{ kind: "local", address: `person ${i}` }] } })
    ).putContact;
    const { openConversation } = await ask(url, key, open, { input: { contact: { id: contact.id } } });
    ids.push(openConversation.conversation.id);
  }
  return ids;
}

/** Returns the ID and the signing secret of the agent's line. */
export async function openLine(url, { key, session }) {
  const { lines } = await ask(url, key, "{ lines { id } }");
  const [{ id }] = lines;
  const rotate = "mutation ($id: ID!) { rotateLineSecret(input: { id: $id }) { signingSecret } }";
  const { signingSecret: secret } = (await ask(url, session, rotate, { id })).rotateLineSecret;
  return { id, secret };
}

/** Waits until no message is queued and every received message is decided. */
async function delivered(url, key, history) {
  const since = Date.now();
  const query =
    "{ messages(first: 1, status: queued) { nodes { id } } decisions(first: 100) { nodes { state } } }";
  for (;;) {
    const { messages, decisions } = await ask(url, key, query);
    const isDeciding = decisions.nodes.some(({ state }) => state === "deciding");
    if (messages.nodes.length === 0 && !isDeciding) break;
    if (Date.now() - since > DELIVERY_LIMIT_MS)
      return history.violate("other", "messages were not delivered in time");
    await setTimeout(20);
  }
  history.slowestDeliveryMs = Math.max(history.slowestDeliveryMs, Date.now() - since);
}

/**
 * Returns the kind of a kill, which depends only on its number: mostly `load` and, on PostgreSQL, sometimes
 * `database`.
 */
function sortOf(number, databaseToo) {
  if (number % 10 === 4) return "start";
  if (number % 10 === 2) return "peer";
  if (number % 10 === 9) return "birth";
  return databaseToo && number % 3 === 1 ? "database" : "load";
}

/**
 * Sends a write, and repeats it after each 503 response.
 * @returns the outcome of the last attempt
 */
async function sendUntilDecided(write, url, callers, history) {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await send(write, url, callers, history);
    if (outcome !== "unavailable" || attempt === MAX_ATTEMPTS) return outcome;
    await setTimeout(RETRY_AFTER_MS);
  }
}

/** Repeats writes that may be repeated: all unanswered writes, and some answered ones. */
export async function retryAll(writes, url, callers, history) {
  const repeatable = writes.filter(
    ({ idempotencyKey, kind }) => idempotencyKey !== undefined || kind === "receive",
  );
  const unanswered = repeatable.filter(({ outcome }) => outcome !== "answered");
  const answered = repeatable.filter(({ outcome, kind }) => outcome === "answered" && kind !== "createKey");
  const due = [...unanswered, ...answered.slice(-PRESENTED)];
  const retry = async () => {
    for (let write = due.shift(); write !== undefined; write = due.shift()) {
      const before = write.outcome === "answered" ? write.answer.id : undefined;
      history.retries += 1;
      const outcome = await sendUntilDecided(write, url, callers, history);
      if (outcome !== "answered") history.violate("other", `the retry of ${write.marker} was ${outcome}`);
      else if (before !== undefined && write.answer.id !== before)
        history.violate("doubled", `the retry of ${write.marker} had another answer`);
    }
  };
  await Promise.all(Array.from({ length: RETRYING }, retry));
}

/** Waits until the service works again without a restart, after its database is back. */
async function recovered(url, history) {
  const giveUpAt = Date.now() + RECOVERY_LIMIT_MS;
  while (Date.now() < giveUpAt) {
    const ready = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) return;
    await setTimeout(50);
  }
  history.violate("other", "the service did not find its database again");
}

/** Checks that the latest keys are accepted, or rejected if they have ended since. */
export async function presentKeys(writes, url, history) {
  const ended = new Set(
    writes
      .filter(
        ({ kind, graceSeconds }) => kind === "revokeKey" || (kind === "rotateKey" && graceSeconds === 0),
      )
      .map(({ target }) => target.id),
  );
  const made = writes.filter(({ outcome, answer }) => outcome === "answered" && answer.apiKey !== undefined);
  for (const { answer, marker } of made.slice(-PRESENTED)) {
    const status = await present(url, answer.secret);
    const right = ended.has(answer.apiKey.id) ? [200, 403] : [200];
    if (!right.includes(status)) history.violate("lost", `the key of ${marker} is answered ${status}`);
  }
}
