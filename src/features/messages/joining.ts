import type { Tx } from "../../database/unit-of-work";
import type { GatewayError } from "../../errors";
import type { LiveVersion } from "./insert-messages";
import type { Message } from "./message.entity";

/** Queues messages of an agent in a conversation. @returns each message, or `queue_full` */
type Queue = (texts: readonly string[]) => Promise<(Message | GatewayError)[]>;

/** How messages that name no conversation join one, by agent. */
export type QueueByAgent = ReadonlyMap<string, Queue>;

/** Finds the conversations that messages join which name none. */
export interface Joining {
  /** Whether messages of an agent may join one, as far as is known without a query. */
  isPossible(agentId: string): boolean;
  /**
   * Locks the conversations that messages of agents join, or opens them.
   * @param all these and the other agents that the transaction queues messages for
   */
  queues(tx: Tx, agentIds: readonly string[], all: readonly string[]): Promise<QueueByAgent>;
  /** Whether messages of agents with these live configurations join one. */
  isExpected(tx: Tx, live: readonly LiveVersion[]): Promise<boolean>;
}

declare module "../../schema/hooks" {
  interface Hooks {
    /** Of one feature only. */
    messageJoining: Joining;
  }
}

/** Ends a transaction whose messages were to join no conversation, but do since the configuration has changed. */
export class JoiningChanged extends Error {}

/** Queues a message once more if the configuration has changed meanwhile. */
export async function whileJoiningChanges(queue: () => Promise<Message>): Promise<Message> {
  for (;;) {
    try {
      return await queue();
    } catch (error) {
      if (!(error instanceof JoiningChanged)) throw error;
    }
  }
}
