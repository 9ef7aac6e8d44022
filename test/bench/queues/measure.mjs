import { setTimeout } from "node:timers/promises";
import { cpuMicros, cpuMicrosOfFamily } from "../process-usage.mjs";
import { CONCURRENCY } from "./systems.mjs";

/** At this many messages per second, every system is idle most of the time. */
export const CALM_PER_SECOND = 100;

/** Time for a system to store results after its last message has arrived (ms). */
const SETTLE_MS = 150;
const POLL_MS = 10;
const IDLE_LIMIT_MS = 30_000;

const usage = ({ worker, databasePid }) => ({
  cpu: cpuMicros(worker.pid),
  databaseCpu: databasePid && cpuMicrosOfFamily(databasePid),
});

async function settled({ isIdle }) {
  for (const giveUpAt = Date.now() + IDLE_LIMIT_MS; !(await isIdle()); await setTimeout(POLL_MS))
    if (Date.now() > giveUpAt) throw new Error("a system still has work after its last message");
  await setTimeout(SETTLE_MS);
}

const perSecond = (count, from, to) => (count * 1e9) / Number(to - from);

/** Measures how a system sends a backlog that was queued while its worker was stopped. */
export async function drain({ system, producer, size: { backlog: count } }) {
  const { worker, producingBacklog, receiver, wake } = system;
  const arrivals = await receiver.expect(count);
  // The worker is suspended instead of stopped, so that it stays warm.
  process.kill(worker.pid, "SIGSTOP");
  try {
    await producer.produce({ ...producingBacklog, count, concurrency: CONCURRENCY });
  } finally {
    process.kill(worker.pid, "SIGCONT");
  }
  const from = process.hrtime.bigint();
  const before = usage(system);
  await wake();
  const { at, repeated } = await arrivals();
  await settled(system);
  const after = usage(system);
  const each = (name) => (after[name] === undefined ? undefined : (after[name] - before[name]) / count);
  return {
    perSecond: perSecond(count, from, at),
    cpu: each("cpu"),
    databaseCpu: each("databaseCpu"),
    repeated,
  };
}

/** Measures the time from the call that queues a message to its arrival: first at full speed, then at a slow pace. */
export async function flow({ system, producer, size }) {
  const { producing, receiver } = system;
  const all = await receiver.expect(size.flow);
  const startedAt = await producer.produce({ ...producing, count: size.flow, concurrency: CONCURRENCY });
  const { at, repeated } = await all();
  await settled(system);
  const few = await receiver.expect(size.calm);
  await producer.produce({ ...producing, count: size.calm, perSecond: CALM_PER_SECOND });
  const calm = await few();
  await settled(system);
  return {
    perSecond: perSecond(size.flow, startedAt, at),
    p50: calm.p50,
    p99: calm.p99,
    repeated: repeated + calm.repeated,
  };
}
