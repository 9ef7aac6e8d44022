import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { cpuMicros } from "../process-usage.mjs";
import { median, summarize, turns } from "../stats.mjs";

const DIST = new URL("../../../dist/src/", import.meta.url);
const product = (path) => createRequire(import.meta.url)(fileURLToPath(new URL(path, DIST)));

const AGENT = "load";
const LINES = ["main", "other"];
/** Numbers of random rows to change and pages to read: equally few on both databases, so that both cache them. */
const USED = { rows: 200, pages: 50 };
const PAGE = 20;
const BATCH = 100;
const PURGED = 200;
const SENDERS = 8;
const FUTURE = "2099-01-01T00:00:00.000Z";
const PAST = "2020-01-01T00:00:00.000Z";

/**
 * Creates a database with equal numbers of contacts, conversations and messages, plus a twentieth as queued messages.
 * @returns the URL of the database
 */
export async function makeConversations(store, { name, count }) {
  const url = await store.create(name);
  const cli = (...args) =>
    promisify(execFile)(process.execPath, [fileURLToPath(new URL("cli/main.js", DIST)), ...args], {
      // On PostgreSQL, commits do not wait for the disk, because a crash while seeding does not matter.
      env: { ...process.env, DATABASE_URL: url, PGOPTIONS: "-c synchronous_commit=off" },
    });
  await cli("migrate");
  await cli("orgs", "add", "--slug", AGENT, "--name", "Load");
  await cli("agents", "add", "--org", AGENT, "--slug", AGENT, "--name", "Load");
  await cli("lines", "create", "--agent", AGENT, "--name", LINES[1]);
  const rows = ["contacts", "conversations", "messages"].flatMap((kind) => [`--${kind}`, `${count}`]);
  await cli("seed", "--agent", AGENT, ...rows, "--queued", `${Math.round(count / 20)}`);
  await store.fill(name, (run) => run(`UPDATE lane SET wake_at = '${FUTURE}'`));
  return url;
}

/**
 * Compares the cost of operations on a large and a small database, in turns, in this process: the CPU time of the
 * gateway's code and the database together, and the elapsed time. Each operation uses random rows.
 * @param urls URLs of the databases, `small` and `large`
 * @returns the results of `summarize` by operation
 */
export async function compareRows({ urls, options, say }) {
  const sides = {};
  try {
    for (const [name, url] of Object.entries(urls)) sides[name] = await open(url);
    const results = [];
    for (const [title, { operation, times: usual }] of Object.entries(OPERATIONS)) {
      const times = options.quick ? Math.ceil(usual / 20) : usual;
      for (const side of Object.values(sides)) await measured(side, operation, Math.ceil(times / 4));
      const rounds = [];
      for (const name of turns("small", ["large"], options.rounds)) {
        rounds.push({ name, values: await measured(sides[name], operation, times) });
        say(`${title}, ${name}: ${Math.round(rounds.at(-1).values.cpu)} µs`);
      }
      results.push({ title, ...summarize("small", rounds) });
    }
    return results;
  } finally {
    for (const { database } of Object.values(sides)) await database.close();
  }
}

/** Opens a database with the product's services, and draws random rows to work on. */
async function open(url) {
  const { createDataSource, createServices, laneWork } = product("features.js");
  const { Database } = product("database/database.js");
  const { operatorFor } = product("auth/context.js");
  const database = await Database.open(createDataSource(url, 4));
  const config = product("config.js").loadConfig({ DATABASE_URL: url });
  const services = createServices({ database, config, log: product("logger.js").createLogger("silent") });
  const { id: agentId, organization } = await services.agents.bySlug(AGENT);
  const ids = async (table, count) => {
    const rows = await database.read((reader) =>
      reader.query(`SELECT id FROM ${table} WHERE agent_id = $1 ORDER BY random() LIMIT ${count}`, [agentId]),
    );
    return cycle(rows.map(({ id }) => id));
  };
  /** Draws rows after which pages start. */
  const starts = async (list) => {
    const rows = database.read((reader) =>
      reader
        .createQueryBuilder(listClass(LISTS[list].entity), "row")
        .where("row.agent_id = :agentId", { agentId })
        .orderBy("RANDOM()")
        .limit(USED.pages)
        .getMany(),
    );
    return cycle(await rows);
  };
  const isPostgres = url.startsWith("postgres");
  return {
    database,
    services,
    work: laneWork(services),
    agentId,
    context: operatorFor(organization),
    rows: await ids("conversation", USED.rows),
    contacts: await starts("contacts"),
    conversations: await starts("conversations"),
    messages: await starts("messages"),
    lineOf: new Map(),
    /** Returns the CPU time of the database's connections (µs), without autovacuum, which may end at any time. */
    async backends() {
      if (!isPostgres) return 0;
      const rows = await database.read((reader) =>
        reader.query(
          "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'",
        ),
      );
      return rows.reduce((sum, { pid }) => sum + (cpuMicros(pid) ?? 0), 0);
    },
  };
}

function cycle(items) {
  let next = 0;
  return () => items[next++ % items.length];
}

/**
 * Runs an operation a number of times.
 * @returns the CPU time (µs) and the median time (ms) of a run
 */
async function measured(side, operation, times) {
  let cpu = 0;
  const ms = [];
  // The preparation of a run is not measured.
  for (let i = 0; i < times; ) {
    const prepared = [];
    while (prepared.length < 2 && i < times) {
      prepared.push(await operation(side));
      i += 1;
    }
    const [usage, backends] = [process.cpuUsage(), await side.backends()];
    for (const run of prepared) {
      const from = performance.now();
      await run();
      ms.push(performance.now() - from);
    }
    const { user, system } = process.cpuUsage(usage);
    cpu += user + system + (await side.backends()) - backends;
  }
  return { cpu: cpu / times, p50: median(ms) };
}

/** Each list's entity, connection and arguments class, as pairs of a file and a name. */
const LISTS = {
  contacts: {
    entity: ["contacts/contact.entity", "Contact"],
    connection: ["contacts/contact.entity", "ContactConnection"],
    args: ["contacts/contact.inputs", "ContactsArgs"],
  },
  conversations: {
    entity: ["conversations/conversation.entity", "Conversation"],
    connection: ["conversations/conversation.connection", "ConversationConnection"],
    args: ["conversations/conversation.inputs", "ConversationsArgs"],
  },
  messages: {
    entity: ["messages/message.entity", "Message"],
    connection: ["messages/message.inputs", "MessageConnection"],
    args: ["messages/message.inputs", "MessagesArgs"],
  },
};
const listClass = ([file, name]) => product(`features/${file}.js`)[name];

/** Reads the page after a random row. */
const listed =
  (name, filterOf = () => ({})) =>
  ({ services, context, agentId, [name]: next }) => {
    const [connection, args] = [listClass(LISTS[name].connection), listClass(LISTS[name].args)];
    const row = next();
    const after = new connection([row], { limit: PAGE, after: undefined }).pageInfo.endCursor;
    const page = Object.assign(new args(), { agentId, first: PAGE, after, ...filterOf(row) });
    return () => services[name].list(context, page);
  };

/** Queues messages in random conversations, which makes their lanes due. */
const queue = ({ services, context, rows }) => {
  const ids = Array.from({ length: BATCH }, rows);
  return () => Promise.all(ids.map((id) => services.conversations.send(context, { id, text: "Hello" })));
};

/** Finds due lanes and delivers their messages, like the deliverer. */
async function deliver({ database, services: { lanes }, work }) {
  const { Senders } = product("delivery/senders.js");
  const { NO_WORK_OBSERVER } = product("delivery/observer.js");
  const waiting = { except: [] };
  await lanes.nextDue(waiting);
  const deliverDue = async (tx) => {
    const due = await lanes.lockDue(tx, { max: SENDERS, waiting }, { max: BATCH });
    const ids = due.map(({ id }) => id);
    const owners = new Map(due.map(({ id, owner }) => [id, owner]));
    const senders = new Senders(SENDERS).offer((id) => owners.get(id));
    if (ids.length > 0) await work("conversation").start(tx, ids, { senders, observer: NO_WORK_OBSERVER });
    await lanes.end(tx, ids);
  };
  await database.write(deliverDue, { isRepeated: true });
}

/** Deletes a chunk of old attempts and rolls back, so that the next run finds them again. */
async function purge(side) {
  const { database } = side;
  const { DeliveryAttempt } = product("features/messages/delivery-attempt.entity.js");
  if (!side.hasOldAttempts) {
    side.hasOldAttempts = true;
    await database.write((tx) =>
      tx.query(
        `UPDATE delivery_attempt SET started_at = '${PAST}' WHERE message_id IN
           (SELECT message_id FROM delivery_attempt ORDER BY message_id LIMIT ${PURGED})`,
      ),
    );
  }
  const undo = new Error("undone");
  const rows = { column: "started_at", before: `${PAST}Z`, limit: PURGED };
  return () =>
    database
      .write(async (tx) => {
        await database.deleteBefore(tx, DeliveryAttempt, rows);
        throw undo;
      })
      .catch((error) => {
        if (error !== undo) throw error;
      });
}

/** Each operation prepares a run and returns it; `times` is the number of runs per turn. */
const OPERATIONS = {
  "page of contacts": { times: 100, operation: listed("contacts") },
  "page of conversations": { times: 100, operation: listed("conversations") },
  "page of messages": { times: 100, operation: listed("messages") },
  "tag search": {
    times: 100,
    operation: listed("contacts", ({ id }) => ({ tag: `group-${Number.parseInt(id.slice(-2), 16) % 100}` })),
  },
  move: {
    times: 60,
    operation: ({ services, context, rows, lineOf }) => {
      const id = rows();
      const line = LINES.find((name) => name !== (lineOf.get(id) ?? LINES[0]));
      lineOf.set(id, line);
      return () =>
        services.conversationChanges.move(context, { id, line: { name: line }, pending: "cancel" });
    },
  },
  [`${BATCH} messages queued`]: { times: 10, operation: queue },
  [`${BATCH} messages delivered`]: {
    times: 10,
    operation: async (side) => {
      await queue(side)();
      return () => deliver(side);
    },
  },
  [`${PURGED} attempts purged`]: { times: 10, operation: purge },
};
