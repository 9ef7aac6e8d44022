import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { organizationOf, type RequestContext } from "../../auth/context";
import { Semaphore } from "../../database/semaphore";
import { clientDisconnected } from "../../errors";

/** Max time a replay can wait for other replays (ms). */
const WAIT_TIMEOUT_MS = 30_000;

/** Evaluations shorter than this (ms) skip the pause, because a timer would take longer. */
const QUICK_MS = 2;

/** Leaves half of this process's event-loop time to other requests, regardless of the number of replays. */
export class ReplayTurns {
  private readonly replays = new Semaphore(Number.POSITIVE_INFINITY, 1);
  private readonly evaluations = new Semaphore(1);

  /**
   * Runs a replay of many decisions; an organization can run only one replay at a time.
   * @throws GatewayError `unavailable` if the wait is too long, or `invalid_request` if the client disconnects
   */
  async replay<T>(context: RequestContext, work: () => Promise<T>): Promise<T> {
    const release = await acquire(this.replays, context);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /**
   * Evaluates one decision, with organizations taking turns. The next evaluation waits for as long as this one took.
   * @throws GatewayError `unavailable` if the wait is too long, or `invalid_request` if the client disconnects
   */
  async evaluate<T>(context: RequestContext, work: () => T): Promise<T> {
    const release = await acquire(this.evaluations, context);
    const startedAt = performance.now();
    try {
      return work();
    } finally {
      const took = performance.now() - startedAt;
      const pause = took < QUICK_MS ? nextTurn() : sleep(Math.ceil(took));
      void pause.then(release);
    }
  }
}

async function acquire(semaphore: Semaphore, context: RequestContext): Promise<() => void> {
  const organizationId = organizationOf(context);
  await semaphore.acquire(WAIT_TIMEOUT_MS, organizationId);
  const release = () => semaphore.release(organizationId);
  if (context.isGone?.() !== true) return release;
  release();
  throw clientDisconnected();
}
