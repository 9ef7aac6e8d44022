import type { Tx } from "../../database/unit-of-work";
import type { HookRegistry } from "../../schema/hooks";
import type { Message } from "./message.entity";

/** A message that the gateway gave up on. */
export type FailedMessage = Pick<Message, "id" | "errorCode">;

declare module "../../schema/hooks" {
  interface Hooks {
    /**
     * Adds a feature's changes to the transaction that gives up on messages. The transaction may hold lane locks, so do
     * not wait for other locks.
     */
    messagesFailed: (tx: Tx, failed: readonly FailedMessage[]) => Promise<void>;
  }
}

/** Notifies other features of messages that the gateway gave up on. */
export class MessageFailures {
  constructor(private readonly hooks: HookRegistry) {}

  /** Runs the hooks for messages that a transaction gives up on. */
  async tell(tx: Tx, failed: readonly FailedMessage[]): Promise<void> {
    if (failed.length === 0) return;
    for (const hook of this.hooks.of("messagesFailed")) await hook(tx, failed);
  }
}
