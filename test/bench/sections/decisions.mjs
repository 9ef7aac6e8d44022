import { createHash } from "node:crypto";
import { v7 as uuid } from "uuid";
import { installContenders, versionsOf } from "../contenders/install.mjs";
import { DECIDERS } from "../contenders/rules.mjs";
import { insertRows, makeData } from "../data.mjs";
import { evaluationMicros, hostileEvaluations } from "../decisions/evaluation.mjs";
import { documentOf, rulesOf, TAGS } from "../decisions/rules.mjs";
import { byTurns, targetOf } from "../measure.mjs";
import { startServer } from "../server.mjs";
import { CONTACTS } from "../workloads.mjs";

const COUNTS = [1, 20, 200];
const AGENTS = 20;

/**
 * Measures decisions that send one message: with 1, 20 and 200 rules, as dry runs, and compared with json-rules-engine
 * and functions on the same rows. Then measures the evaluation alone, and how long hostile documents block the process.
 */
export async function decisions({ product, store, generator, databasePid, options, say }) {
  installContenders(DECIDERS);
  // Deliveries are off, because the contenders deliver nothing.
  const own = { ...product, env: { ...product.env, DELIVERY_WORKERS: "0" } };
  const connections = options.connections[0];
  const settings = { ...options, connections: [connections] };
  const data = {};
  for (const rules of COUNTS) {
    data[rules] = await makeData(store, {
      name: `decisions_${rules}`,
      pets: 1,
      keys: AGENTS,
      more: (run, agents) => addContacts(run, agents, rules),
    });
  }
  /** Compares servers, keyed by name, each with a contender, a number of rules and a workload. */
  const compare = async (sides) => {
    const servers = {};
    try {
      const loads = {};
      for (const [name, { contender, rules, workload = "rest-decide" }] of Object.entries(sides)) {
        const env = { ...contender.env, RULES: String(rules) };
        servers[name] = await startServer({ ...contender, env }, await data[rules].copy());
        loads[name] = { ...targetOf(servers[name], data[rules]), workload, databasePid };
      }
      return (await byTurns({ loads, generator, options: settings, say }))[connections];
    } catch (error) {
      const said = Object.values(servers).map((server) => server.said());
      throw new Error([error.message, ...said].join("\n"), { cause: error });
    } finally {
      for (const server of Object.values(servers)) await server.stop();
    }
  };
  const decided = COUNTS.map((rules) => [`${rules}`, { contender: own, rules }]);
  const dry = COUNTS.map((rules) => [
    `${rules}, dry run`,
    { contender: own, rules, workload: "rest-dry-run" },
  ]);
  const byRules = await compare(Object.fromEntries([...decided, ...dry]));
  const next = [];
  for (const rules of COUNTS) {
    const contenders = [own, ...DECIDERS].map((contender) => [contender.name, { contender, rules }]);
    next.push({ rules, results: await compare(Object.fromEntries(contenders)) });
  }
  const evaluation = [];
  for (const rules of COUNTS) evaluation.push({ rules, micros: await evaluationMicros(rules) });
  return {
    connections,
    rounds: options.rounds,
    byRules,
    next,
    evaluation,
    hostile: await hostileEvaluations(),
    contenders: DECIDERS.map((contender) => ({ ...contender, versions: versionsOf(contender) })),
  };
}

/** Gives each agent a configuration, and contacts with tags and an open conversation. */
async function addContacts(run, agents, rules) {
  const now = new Date().toISOString();
  const document = JSON.stringify(documentOf(rulesOf(rules)));
  const digest = createHash("sha256").update(document).digest("hex");
  const versions = agents.map((agent_id) => ({
    agent_id,
    version: 2,
    document,
    digest,
    published_at: now,
    published_by: "command line",
  }));
  await insertRows(run, "configuration_version", versions);
  for (const agent_id of agents) {
    const ids = Array.from({ length: CONTACTS }, () => uuid());
    const times = { created_at: now, updated_at: now };
    await insertRows(
      run,
      "contact",
      ids.map((id, i) => ({
        id,
        agent_id,
        ref: `contact ${i}`,
        name: `Contact ${i}`,
        attributes: "{}",
        version: 1,
        ...times,
      })),
    );
    await insertRows(
      run,
      "contact_address",
      ids.map((id, i) => ({ id, agent_id, contact_id: id, kind: "local", address: `contact ${i}` })),
    );
    await insertRows(
      run,
      "contact_tag",
      ids.flatMap((contact_id) =>
        TAGS.map((tag) => ({ contact_id, tag, agent_id, added_at: now, added_by: "command line" })),
      ),
    );
    await insertRows(
      run,
      "conversation",
      ids.map((id) => ({
        id,
        agent_id,
        contact_id: id,
        address_id: id,
        line_id: agent_id,
        state: "open",
        handler: "agent",
        version: 1,
        last_sequence: 0,
        ...times,
      })),
    );
  }
}
