import type { Tx } from "../../database/unit-of-work";
import type { HookRegistry } from "../../schema/hooks";
import type { Message } from "./message.entity";

/** A message that was given up. */
export type FailedMessage = Pick<Message, "id" | "errorCode">;

declare module "../../schema/hooks" {
  interface Hooks {
    /** Adds to the transaction that gives up messages, which may hold the locks of lanes: wait for no other lock. */
    messagesFailed: (tx: Tx, failed: readonly FailedMessage[]) => Promise<void>;
  }
}

/** Tells other features of messages that are given up. */
export class MessageFailures {
  constructor(private readonly hooks: HookRegistry) {}

  /** Runs the hooks for messages that a transaction gives up. */
  async tell(tx: Tx, failed: readonly FailedMessage[]): Promise<void> {
    if (failed.length === 0) return;
    for (const hook of this.hooks.of("messagesFailed")) await hook(tx, failed);
  }
}
