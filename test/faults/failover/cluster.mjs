import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { freePort } from "../../support/free-port.mjs";
import { createLink } from "./link.mjs";

const VERSIONS = "/usr/lib/postgresql";
const START_LIMIT_MS = 180_000;
const PASSWORD = "failover";
const MAX_LAG_BYTES = 1_000_000;
/**
 * How long Patroni stays frozen after a takeover (ms); if it returned sooner, Patroni 3.0 might take the lock back from
 * the new primary.
 */
const RETURN_AFTER_MS = 2_000;

/** The same as in docs/postgresql.md. */
const DYNAMIC = {
  ttl: 20,
  loop_wait: 5,
  retry_timeout: 5,
  postgresql: { use_pg_rewind: true, use_slots: true, parameters: { max_connections: 100 } },
};

const PROGRAMS = {
  patroni: "/usr/bin/patroni",
  etcd: "/usr/bin/etcd",
  haproxy: "/usr/sbin/haproxy",
  pg_rewind: join(VERSIONS, newestVersion(), "bin/pg_rewind"),
};

function newestVersion() {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS) : [];
  return versions.sort((one, other) => Number(other) - Number(one))[0] ?? "none";
}

/** Returns the names of the programs that are not installed. */
export const missingPrograms = () => Object.keys(PROGRAMS).filter((name) => !existsSync(PROGRAMS[name]));

/** PostgreSQL does not run as root. */
const idOf = (flag) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));

/** Returns the IDs of a PostgreSQL server's processes; none if it does not run. */
function serverPids(folder) {
  try {
    const [postmaster] = readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n");
    const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, "utf8").trim();
    return [postmaster, ...children.split(" ").filter(Boolean)].map(Number);
  } catch {
    return [];
  }
}

function signalAll(pids, signal) {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (error.code !== "ESRCH") throw error;
    }
  }
}

async function patiently(what, check) {
  const giveUpAt = Date.now() + START_LIMIT_MS;
  for (;;) {
    const found = await check().catch(() => undefined);
    if (found) return found;
    if (Date.now() > giveUpAt) throw new Error(`timed out waiting for ${what}`);
    await setTimeout(200);
  }
}

/**
 * Starts etcd, two PostgreSQL servers managed by Patroni, and HAProxy, which forwards to the primary. Every node
 * reaches etcd, and is reached, over links that can be cut.
 * @param isSynchronous true if the primary waits for the standby before it acknowledges a commit
 */
export async function startCluster(isSynchronous) {
  const folder = await mkdtemp(join(tmpdir(), "gateway-failover-"));
  const owner = process.getuid() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {};
  if (owner.uid) chownSync(folder, owner.uid, owner.gid);
  const children = new Set();
  const run = (name, program, args) => {
    const log = openSync(join(folder, `${name}.log`), "a");
    const child = spawn(program, args, {
      ...owner,
      env: { PATH: process.env.PATH, HOME: folder, LC_ALL: "C.UTF-8" },
      cwd: folder,
      stdio: ["ignore", log, log],
    });
    children.add(child);
    child.once("close", () => children.delete(child));
    return child;
  };

  const etcdPort = await freePort();
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const peerUrl = `http://127.0.0.1:${await freePort()}`;
  run("etcd", PROGRAMS.etcd, [
    ...["--data-dir", join(folder, "etcd"), "--initial-cluster", `default=${peerUrl}`],
    ...["--listen-client-urls", etcdUrl, "--advertise-client-urls", etcdUrl],
    ...["--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl],
  ]);

  const nodes = [];
  for (const name of ["one", "two"]) {
    const data = join(folder, name);
    mkdirSync(data, { mode: 0o700 });
    if (owner.uid) chownSync(data, owner.uid, owner.gid);
    const port = await freePort();
    const restPort = await freePort();
    const links = {
      postgres: await createLink(port),
      rest: await createLink(restPort),
      etcd: await createLink(etcdPort),
    };
    const config = {
      scope: "gateway",
      name,
      // Otherwise, Patroni would get etcd's address from etcd, and call etcd without the link.
      etcd3: { host: `127.0.0.1:${links.etcd.port}`, use_proxies: true },
      restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${links.rest.port}` },
      bootstrap: {
        dcs: { ...DYNAMIC, synchronous_mode: isSynchronous },
        initdb: ["data-checksums", { encoding: "UTF8" }, { locale: "C.UTF-8" }],
      },
      postgresql: {
        listen: `127.0.0.1:${port}`,
        connect_address: `127.0.0.1:${links.postgres.port}`,
        data_dir: data,
        bin_dir: join(PROGRAMS.pg_rewind, ".."),
        pgpass: join(folder, `${name}.pgpass`),
        parameters: { unix_socket_directories: folder },
        pg_hba: [
          "host all all 127.0.0.1/32 scram-sha-256",
          "host replication all 127.0.0.1/32 scram-sha-256",
        ],
        authentication: {
          superuser: { username: "postgres", password: PASSWORD },
          replication: { username: "replicator", password: PASSWORD },
          rewind: { username: "rewinder", password: PASSWORD },
        },
      },
      // Without a watchdog device, a hanging Patroni leaves the old primary running.
      watchdog: { mode: "off" },
    };
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(config));
    const node = {
      name,
      links,
      restUrl: `http://127.0.0.1:${restPort}`,
      url: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}`,
      serverPids: () => serverPids(data),
      start: () => {
        node.patroni = run(name, PROGRAMS.patroni, [file]);
      },
    };
    nodes.push(node);
    node.start();
  }

  const proxyPort = await freePort();
  const servers = nodes.map(
    ({ name, links }) => `server ${name} 127.0.0.1:${links.postgres.port} check port ${links.rest.port}`,
  );
  // The same as in docs/postgresql.md.
  const proxy = `defaults
  mode tcp
  timeout connect 2s
  timeout check 2s
  timeout client 1h
  timeout server 1h
listen postgres
  bind 127.0.0.1:${proxyPort}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
  ${servers.join("\n  ")}
`;
  writeFileSync(join(folder, "haproxy.cfg"), proxy);
  run("haproxy", PROGRAMS.haproxy, ["-db", "-f", join(folder, "haproxy.cfg")]);

  const query = async (url, sql) => {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: 2_000,
      query_timeout: 5_000,
    });
    client.on("error", () => {});
    try {
      await client.connect();
      return (await client.query(sql)).rows;
    } finally {
      // A frozen server would not answer.
      void client.end().catch(() => {});
    }
  };
  const isPrimary = async ({ restUrl }) =>
    (await fetch(`${restUrl}/primary`, { signal: AbortSignal.timeout(1_000) })).ok;
  /** Returns the node that holds the leader's key, ignoring the given node, which is losing the key. */
  const primary = (besides) =>
    patiently("a primary", async () => {
      for (const node of nodes)
        if (node !== besides && (await isPrimary(node).catch(() => false))) return node;
    });
  const order = async ({ restUrl }, path, body) => {
    const response = await fetch(`${restUrl}/${path}`, {
      method: "POST",
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(START_LIMIT_MS),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  };
  const other = (node) => nodes.find((one) => one !== node);

  /** The faults of a primary; each settles when there is a new primary, or the old one serves again. */
  const FAULTS = {
    /** The whole node freezes, and later continues as if it were still the primary. */
    async freeze(node) {
      const pids = [node.patroni.pid, ...node.serverPids()];
      signalAll(pids, "SIGSTOP");
      await primary(node);
      await setTimeout(RETURN_AFTER_MS);
      signalAll(pids, "SIGCONT");
    },
    /** The whole node dies. */
    async kill(node) {
      signalAll([node.patroni.pid, ...node.serverPids()], "SIGKILL");
      await primary(node);
      node.start();
    },
    /** Nothing can reach the node, and the node cannot reach etcd. */
    async cut(node) {
      for (const link of Object.values(node.links)) link.cut();
      await primary(node);
      for (const link of Object.values(node.links)) link.heal();
    },
    /** The node does not reach etcd; clients still reach the node. */
    async isolate(node) {
      node.links.etcd.cut();
      await primary(node);
      node.links.etcd.heal();
    },
    /** Only Patroni freezes, so that for a while there are two servers that accept writes. */
    async hang(node) {
      node.patroni.kill("SIGSTOP");
      await primary(node);
      await setTimeout(RETURN_AFTER_MS);
      node.patroni.kill("SIGCONT");
    },
    /** Only PostgreSQL dies; Patroni restarts it. */
    async crash(node) {
      const [postmaster] = node.serverPids();
      signalAll([postmaster], "SIGKILL");
      await patiently("the restart", async () => node.serverPids()[0] !== postmaster && isPrimary(node));
    },
    restart: (node) => order(node, "restart", {}),
    async switchover(node) {
      await order(node, "switchover", { leader: node.name, candidate: other(node).name });
      await primary(node);
    },
  };

  return {
    /** Returns the URL of a database, for its owner of the same name. */
    urlOf: (name) => `postgres://${name}:${PASSWORD}@127.0.0.1:${proxyPort}/${name}`,
    /** Causes a fault in the current primary. */
    async suffer(fault) {
      await FAULTS[fault](await primary());
    },
    /** Waits until the standby could take over, and the effects of the last fault are gone. */
    async healthy() {
      const state = isSynchronous ? "sync" : "async";
      await patiently("the standby", async () => {
        const node = await primary();
        const rows = await query(
          `${node.url}/postgres`,
          "SELECT sync_state, pg_wal_lsn_diff(sent_lsn, replay_lsn) AS lag FROM pg_stat_replication WHERE state = 'streaming'",
        );
        if (rows.length !== 1 || rows[0].sync_state !== state || Number(rows[0].lag) > MAX_LAG_BYTES)
          return false;
        const { status } = await fetch(`${other(node).restUrl}/${isSynchronous ? "sync" : "replica"}`);
        return status === 200;
      });
    },
    /** Returns the number of connections of gateways to servers that cannot write. */
    async strayConnections() {
      const counts = nodes.map(async ({ url }) => {
        const [{ stray }] = await query(
          `${url}/postgres`,
          `SELECT count(*) FILTER (WHERE application_name = 'gateway' AND pg_is_in_recovery())::int AS stray FROM pg_stat_activity`,
        );
        return stray;
      });
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    },
    /** Runs a statement on the primary. */
    query: async (database, sql) => query(`${(await primary()).url}/${database}`, sql),
    folder,
    /** @param keep true to leave the folder with its logs */
    async close(keep) {
      const ended = [...children].map((child) => once(child, "close"));
      for (const node of nodes) {
        signalAll([node.patroni.pid, ...node.serverPids()], "SIGCONT");
        signalAll([node.patroni.pid, ...node.serverPids()], "SIGKILL");
        for (const link of Object.values(node.links)) link.close();
      }
      for (const child of children) child.kill("SIGKILL");
      await Promise.all(ended);
      if (!keep) await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}
