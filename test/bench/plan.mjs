import { turns } from "./stats.mjs";
import { WORKLOADS } from "./workloads.mjs";

/** Unmeasured time per turn, server and workload (s). */
const AROUND = { turn: 0.35, server: 1, workload: 4 };

/** The duration of the sections on a machine with two cores (s). */
const SECTIONS = {
  delivery: [25, 6],
  events: [110, 10],
  decisions: [260, 60],
  queues: [290, 45],
  flat: [700, 60],
  cost: [150, 60],
  start: [45, 7],
  memory: [200, 10],
  commit: [2, 2],
};

/** Returns the contenders that support a workload's API or, if it is `alone`, only versions of the product. */
export const takingPart = ({ contenders: [product, ...others] }, workload) => {
  const { api, alone } = WORKLOADS[workload];
  const fit = ({ entry, apis }) => apis[api] && (!alone || entry.endsWith("dist/src/main.js"));
  return [product, ...others.filter(fit)];
};

/** Returns the approximate duration (min). */
export function expectedMinutes(options) {
  const { workloads, sections, connections, rounds, runs, seconds, warmUp, quick } = options;
  const ofWorkload = (workload) => {
    const [product, ...others] = takingPart(options, workload);
    const count = turns(product, others, rounds).length * connections.length;
    return count * (seconds + AROUND.turn) + (others.length + 1) * (warmUp + AROUND.server) + AROUND.workload;
  };
  const all = [
    ...workloads.map((name) => runs * ofWorkload(name)),
    ...sections.map((name) => SECTIONS[name][quick ? 1 : 0]),
  ];
  return all.reduce((sum, each) => sum + each, 5) / 60;
}
