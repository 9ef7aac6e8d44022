import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { Semaphore } from "../../database/semaphore";

/** How long a replay waits for others (ms). */
const WAIT_TIMEOUT_MS = 30_000;

/** Evaluations that are shorter (ms) need no timer, which would take longer than they do. */
const QUICK_MS = 2;

/** Leaves other requests half of the event loop of this process, however many replays there are. */
export class ReplayTurns {
  private readonly replays = new Semaphore(Number.POSITIVE_INFINITY, 1);
  private readonly evaluations = new Semaphore(1);

  /**
   * Runs a replay of many decisions, after the others of its organization.
   * @throws GatewayError `unavailable` if it would wait too long
   */
  async replay<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    await this.replays.acquire(WAIT_TIMEOUT_MS, organizationId);
    try {
      return await work();
    } finally {
      this.replays.release(organizationId);
    }
  }

  /**
   * Evaluates one decision, after others; organizations take turns. The next one waits for as long as this one took.
   * @throws GatewayError `unavailable` if it would wait too long
   */
  async evaluate<T>(organizationId: string, work: () => T): Promise<T> {
    await this.evaluations.acquire(WAIT_TIMEOUT_MS, organizationId);
    const startedAt = performance.now();
    try {
      return work();
    } finally {
      const took = performance.now() - startedAt;
      const pause = took < QUICK_MS ? nextTurn() : sleep(Math.ceil(took));
      void pause.then(() => this.evaluations.release(organizationId));
    }
  }
}
