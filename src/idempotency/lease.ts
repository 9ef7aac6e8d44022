import { setTimeout as pause } from "node:timers/promises";
import { v7 as uuid } from "uuid";
import type { Database } from "../database/database";
import { allReturning } from "../database/returning";
import type { Tx } from "../database/unit-of-work";
import { Lease } from "./lease.entity";

/** Time after the last renewal (ms) before another process may take over. */
const LEASE_MS = 15_000;
/** Delay between renewals, and between attempts to acquire the lease (ms). */
const RENEWAL_INTERVAL_MS = 5_000;

/**
 * Runs work that only one process may run at a time, as soon as no other process is running it.
 * @param name max 40 characters
 * @param work stops soon after its signal, which is aborted if the lease is lost
 */
export async function whileLeased(
  database: Database,
  name: string,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const holder = uuid();
  const claim = () => database.write((tx) => claimLease(tx, name, holder));
  while (!(await claim())) {
    await pause(RENEWAL_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
  }
  const lost = new AbortController();
  let renewal = Promise.resolve();
  const timer = setInterval(() => {
    renewal = claim().then(
      (isHeld) => (isHeld ? undefined : lost.abort()),
      // During an outage, no other process can acquire the lease either.
      () => undefined,
    );
  }, RENEWAL_INTERVAL_MS).unref();
  try {
    await work(AbortSignal.any([signal, lost.signal]));
  } finally {
    clearInterval(timer);
    await renewal;
    await database.write((tx) => tx.delete(Lease, { name, holder }));
  }
}

/** @returns false if another process holds the lease */
async function claimLease(tx: Tx, name: string, holder: string): Promise<boolean> {
  const rows = await allReturning(
    tx,
    `insert into lease (name, holder, held_until) values ($1, $2, ${tx.clock(LEASE_MS)})
     on conflict (name) do update set holder = excluded.holder, held_until = excluded.held_until
       where lease.holder = excluded.holder or lease.held_until < ${tx.clock()}
     returning holder`,
    [name, holder],
  );
  return rows.length > 0;
}
