import type { RequestContext } from "../../auth/context";
import { GatewayError } from "../../errors";

/** Max concurrent sign-ins and changes of credentials: about half a second of hashing. */
const MAX_PASSWORD_CHECKS = 16;

/** Bounds the work that hashes passwords. */
export class PasswordChecks {
  private running = 0;

  /** @throws GatewayError `too_many_attempts` if `MAX_PASSWORD_CHECKS` are already running */
  assertFree(): void {
    if (this.running < MAX_PASSWORD_CHECKS) return;
    throw new GatewayError(
      "too_many_attempts",
      "Too many sign-ins are in progress. Try again in a few seconds.",
      { headers: { "retry-after": "2" } },
    );
  }

  /**
   * Runs work that hashes passwords. Hashing is sequential, so the wait does not count toward load shedding.
   * @throws GatewayError `too_many_attempts` if `MAX_PASSWORD_CHECKS` are already running
   */
  async run<T>({ outsideLoad }: RequestContext, check: () => Promise<T>): Promise<T> {
    this.assertFree();
    this.running += 1;
    try {
      return await (outsideLoad?.(check) ?? check());
    } finally {
      this.running -= 1;
    }
  }
}
