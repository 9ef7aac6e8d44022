import { makeData } from "../data.mjs";
import { byTurns, targetOf } from "../measure.mjs";
import { startServer } from "../server.mjs";
import { compareRows, makeConversations } from "./flat-rows.mjs";

const ACTIVE_KEYS = 1_000;

const sizes = (quick) =>
  quick
    ? {
        small: { pets: 1_000, keys: 1_000, conversations: 1_000 },
        large: { pets: 100_000, keys: 5_000, conversations: 10_000 },
      }
    : {
        small: { pets: 1_000, keys: 1_000, conversations: 10_000 },
        large: { pets: 1_000_000, keys: 100_000, conversations: 1_000_000 },
      };

/**
 * Compares the cost of a request on a large and a small database, in turns, and the cost of the last and the first page
 * of the large one. On both, the same number of random keys is active; in a separate row, all keys of the large
 * database are in use. Then compares operations on contacts, conversations and messages.
 */
export async function flat({ product, store, generator, options, say }) {
  const size = sizes(options.quick);
  const servers = {};
  const targets = {};
  const connections = options.connections.slice(0, 1);
  const results = [];
  const compare = async (title, loads) => {
    say(title);
    const byConnections = await byTurns({
      loads,
      generator,
      options: { ...options, connections },
      say: (text) => say(`${title}: ${text}`),
    });
    results.push({ title, ...byConnections[connections[0]] });
  };
  try {
    for (const name of ["small", "large"]) {
      say(`making ${size[name].pets} pets and ${size[name].keys} keys`);
      const data = await makeData(store, { name, ...size[name] });
      servers[name] = await startServer(product, await data.copy());
      targets[name] = targetOf(servers[name], data);
    }
    for (const workload of ["rest-pet", "rest-list", "rest-pages", "rest-whoami"]) {
      const load = ({ data, ...target }) => ({
        ...target,
        workload,
        data: { ...data, keys: ACTIVE_KEYS },
      });
      await compare(workload, { small: load(targets.small), large: load(targets.large) });
    }
    await compare("rest-whoami, every key in use", {
      small: { ...targets.small, workload: "rest-whoami" },
      large: { ...targets.large, workload: "rest-whoami" },
    });
    const { data, ...target } = targets.large;
    const page = (workload) => ({ ...target, workload, data: { ...data, keys: ACTIVE_KEYS } });
    await compare("last page", { first: page("rest-list"), last: page("rest-last-page") });
  } finally {
    for (const server of Object.values(servers)) await server.stop();
  }
  const urls = {};
  for (const [name, { conversations }] of Object.entries(size)) {
    say(`making ${conversations} conversations`);
    urls[name] = await makeConversations(store, { name: `${name}_rows`, count: conversations });
  }
  const rows = await compareRows({ urls, options, say });
  return { size, activeKeys: ACTIVE_KEYS, connections: connections[0], results, rows };
}
