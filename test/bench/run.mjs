// `npm run bench`: what each kind of request costs next to the cheapest one, on the embedded database. The
// workloads take turns, and only ratios within one run are comparable: machines differ, and so do moments.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import autocannon from "autocannon";

const ROUNDS = 3;
const SECONDS = 3;
const CONNECTIONS = 32;
const PETS = 10_000;

const directory = await mkdtemp(join(tmpdir(), "gateway-bench-"));
const env = {
  ...process.env,
  DATABASE_URL: `sqlite:${join(directory, "bench.sqlite")}`,
  PORT: "0",
  LOG_LEVEL: "warn",
};

const server = spawn(process.execPath, ["dist/src/main.js"], { env, stdio: ["ignore", "pipe", "inherit"] });
try {
  const { key, url } = await started(server);
  await finished(spawn(process.execPath, ["dist/src/cli/main.js", "seed", "--pets", String(PETS)], { env }));
  const results = await measure(workloads(url), key);
  console.log(
    `${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s each, ${PETS} animals; medians\n`,
  );
  console.table(results);
} finally {
  server.kill("SIGTERM");
  await once(server, "exit");
  await rm(directory, { recursive: true });
}

function workloads(url) {
  const json = { "content-type": "application/json" };
  const graphql = (query, variables) => ({
    url: `${url}/graphql`,
    method: "POST",
    headers: json,
    body: JSON.stringify({ query, variables }),
  });
  return {
    "GET /agent/whoami": { url: `${url}/agent/whoami` },
    "GET /v1/pets (20)": { url: `${url}/v1/pets` },
    "GET /v1/pets/{petId}": { url: `${url}/v1/pets/${PETS / 2}` },
    "GraphQL pets (20)": graphql(
      "query ($n: Int) { pets(first: $n) { nodes { id name categoryId status } pageInfo { hasNextPage endCursor } } }",
      { n: 20 },
    ),
    "POST /v1/pets, durable": {
      url: `${url}/v1/pets`,
      method: "POST",
      headers: json,
      body: JSON.stringify({ name: "Rex", categoryId: 1, status: "available" }),
    },
  };
}

async function measure(all, key) {
  const runs = Object.fromEntries(Object.keys(all).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, request] of Object.entries(all)) {
      const headers = { ...request.headers, authorization: `Bearer ${key}` };
      const run = await autocannon({ ...request, headers, connections: CONNECTIONS, duration: SECONDS });
      if (run.non2xx + run.errors > 0)
        throw new Error(`${name}: ${run.non2xx} refused, ${run.errors} failed`);
      runs[name].push(run);
    }
  }
  const median = (name, pick) => runs[name].map(pick).sort((a, b) => a - b)[Math.floor(ROUNDS / 2)];
  const rate = (name) => median(name, (run) => run.requests.average);
  const best = Math.max(...Object.keys(all).map(rate));
  return Object.fromEntries(
    Object.keys(all).map((name) => [
      name,
      {
        "requests/s": Math.round(rate(name)),
        "of the fastest": Number((rate(name) / best).toFixed(2)),
        "p50 ms": median(name, (run) => run.latency.p50),
        "p99 ms": median(name, (run) => run.latency.p99),
      },
    ]),
  );
}

/** Waits for the notices of a first start. */
async function started(child) {
  let text = "";
  for await (const chunk of child.stdout) {
    text += chunk;
    const url = /GraphQL and Apollo Sandbox at (\S+)\/graphql/.exec(text)?.[1];
    if (url) return { url, key: /agk_\w+/.exec(text)[0] };
  }
  throw new Error("The server did not start.");
}

async function finished(child) {
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error("The database could not be filled.");
}
