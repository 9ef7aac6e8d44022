// `npm run -s build && node test/overload/answers.mjs [sqlite] [postgres]`: how much memory large answers take. One key
// owns 100 messages of 10,000 characters and asks for as many of them as a document may, in several ways, on several
// connections; another key asks for itself meanwhile.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { CONTENDERS } from "../bench/contenders/contenders.mjs";
import { makeData, postgresStore, sqliteStore } from "../bench/data.mjs";
import { startPostgres } from "../bench/postgres.mjs";
import { forgetPeak, peakKibibytes, residentKibibytes } from "../bench/process-usage.mjs";
import { startServer } from "../bench/server.mjs";

const pages = (count) =>
  `{ ${Array.from({ length: count }, (_, i) => `a${i}: messages(first: 100) { nodes { message } }`).join(" ")} }`;
const longName = "n".repeat(25_000);

const ATTACKS = [
  { title: "16 × 50 pages of 100 messages", clients: 16, query: pages(50) },
  { title: "64 × 4 pages of 100 messages", clients: 64, query: pages(4) },
  { title: "256 × 1 page of 100 messages", clients: 256, query: pages(1) },
  {
    title: "16 × 50 pages of 100 ids under a name of 25,000 characters",
    clients: 16,
    query: `{ ${Array.from({ length: 50 }, (_, i) => `a${i}: messages(first: 100) { ...f }`).join(" ")} } fragment f on MessageConnection { nodes { ${longName}: id } }`,
  },
];

const engines = process.argv.slice(2);
const directory = await mkdtemp(join(tmpdir(), "gateway-answers-"));
try {
  if (engines.length === 0 || engines.includes("sqlite")) await measure(sqliteStore(directory));
  if (engines.length === 0 || engines.includes("postgres")) {
    const postgres = await startPostgres();
    try {
      await measure(postgresStore(directory, postgres.url));
    } finally {
      await postgres.stop();
    }
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}

async function measure(store) {
  const data = await makeData(store, { name: "answers", pets: 100, keys: 2 });
  for (const text of ["x", "犬"]) {
    console.log(`${store.engine}, messages of 10,000 times ${text}`);
    for (const attack of ATTACKS) await run(attack, text, data);
  }
}

async function run({ title, clients, query }, text, data) {
  const server = await startServer(CONTENDERS[0], await data.copy());
  const { pid } = server;
  const [own, other] = data.secrets;
  const send = async (secret, path, body) => {
    const began = performance.now();
    const reply = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: body && JSON.stringify(body),
    });
    let bytes = 0;
    for await (const chunk of reply.body) bytes += chunk.length;
    return { status: reply.status, bytes, ms: performance.now() - began };
  };
  try {
    for (let i = 0; i < 100; i++) await send(own, "/messages", { message: text.repeat(10_000) });
    for (let i = 0; i < 200; i++) await send(other, "/agent/whoami");
    forgetPeak(pid);
    const before = residentKibibytes(pid);
    let attacking = true;
    const meanwhile = (async () => {
      const replies = [];
      while (attacking) {
        replies.push(await send(other, "/agent/whoami"));
        await setTimeout(5);
      }
      return replies;
    })();
    const began = performance.now();
    const replies = await Promise.all(
      Array.from({ length: clients }, () => send(own, "/graphql", { query })),
    );
    const seconds = (performance.now() - began) / 1000;
    attacking = false;
    const others = await meanwhile;
    const slowest = Math.max(...others.map(({ ms }) => ms));
    const total = replies.reduce((sum, { bytes }) => sum + bytes, 0);
    console.log(
      `  ${title}: ${count(replies)}, ${mebi(total / 1024)} MiB in ${seconds.toFixed(1)} s; memory ${mebi(before)} MiB before, ${mebi(peakKibibytes(pid))} MiB at most; another key meanwhile ${count(others)}, slowest ${Math.round(slowest)} ms`,
    );
  } catch (error) {
    console.log(`  ${title}: ${error.cause?.message ?? error.message}; ${server.said().slice(-300)}`);
  } finally {
    await server.stop();
  }
}

/** How many answers there were of each status. */
function count(replies) {
  const counts = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return JSON.stringify(counts);
}

function mebi(kibibytes) {
  return Math.round(kibibytes / 1024);
}
