import type { Tx } from "../../database/unit-of-work";
import type { HookRegistry } from "../../schema/hooks";
import type { Message } from "./message.entity";

/** A message that failed permanently. */
export type FailedMessage = Pick<Message, "id" | "errorCode">;

declare module "../../schema/hooks" {
  interface Hooks {
    /** Joins the transaction that marks messages as failed; must not wait for locks, as it may hold lanes. */
    messagesFailed: (tx: Tx, failed: readonly FailedMessage[]) => Promise<void>;
  }
}

/** Notifies other features of messages that a transaction marks as failed. */
export async function tellFailed(
  tx: Tx,
  hooks: HookRegistry,
  failed: readonly FailedMessage[],
): Promise<void> {
  if (failed.length === 0) return;
  for (const hook of hooks.of("messagesFailed")) await hook(tx, failed);
}
