import { ownerOf } from "../../auth/caller";
import type { RequestContext } from "../../auth/context";
import { Budget } from "../../common/budget";
import { customerNetworkOf } from "../../common/network";
import { shareOf } from "../../database/semaphore";
import { GatewayError } from "../../errors";

/** Max concurrent sign-ins and credential changes; hashing for all of them takes about half a second. */
const MAX_PASSWORD_CHECKS = 16;

/** Limits concurrent password hashing; no organization or anonymous network can use up the capacity. */
export class PasswordChecks {
  private readonly checks = new Budget(MAX_PASSWORD_CHECKS, shareOf(MAX_PASSWORD_CHECKS));

  /** @throws GatewayError `too_many_attempts` if too many checks are already running */
  assertFree(context: RequestContext): void {
    this.begin(context)();
  }

  /**
   * Runs a task that hashes passwords, without counting the request as load while it waits.
   * @throws GatewayError `too_many_attempts`
   */
  async run<T>(context: RequestContext, check: () => Promise<T>): Promise<T> {
    const end = this.begin(context);
    try {
      return await (context.outsideLoad?.(check) ?? check());
    } finally {
      end();
    }
  }

  private begin({ caller, origin }: RequestContext): () => void {
    const end = this.checks.take([ownerOf(caller) ?? customerNetworkOf(origin.ip)], 1);
    if (end !== undefined) return end;
    throw new GatewayError(
      "too_many_attempts",
      "Too many sign-ins are in progress. Try again in a few seconds.",
      { headers: { "retry-after": "2" } },
    );
  }
}
