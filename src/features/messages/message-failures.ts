import type { EntityManager } from "typeorm";
import type { Message } from "./message.entity";

/** A message that was given up. */
export type FailedMessage = Pick<Message, "id" | "errorCode">;

/** Adds to the transaction that gives up messages. It may hold the locks of lanes, so it must wait for no other lock. */
type FailureStep = (tx: EntityManager, failed: readonly FailedMessage[]) => Promise<void>;

/** Tells other features of messages that are given up. */
export class MessageFailures {
  private readonly steps: FailureStep[] = [];

  /** Runs a step of another feature whenever messages are given up. */
  onFail(step: FailureStep): void {
    this.steps.push(step);
  }

  /** Runs the steps for messages that a transaction gives up. */
  async tell(tx: EntityManager, failed: readonly FailedMessage[]): Promise<void> {
    if (failed.length === 0) return;
    for (const step of this.steps) await step(tx, failed);
  }
}
