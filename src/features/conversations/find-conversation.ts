import type { EntityManager } from "typeorm";
import { organizationOf, type RequestContext } from "../../auth/context";
import { isUuid } from "../../common/uuid";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError } from "../../errors";
import { lockContacts } from "../contacts/known-contact";
import { Conversation, ConversationState } from "./conversation.entity";

/** Whose idempotency keys a caller uses: those of its agent, also with another API key, or its own as a member. */
export const idempotencyScope = (operation: string, { caller }: RequestContext): string =>
  `${operation}:${caller.kind === "agent" ? caller.agent.id : caller.kind === "member" ? caller.id : caller.kind}`;

/** @returns the conversation, or null if the caller's agent, or a member's organization, has none with this ID */
export async function findConversation(
  reader: EntityManager,
  context: RequestContext,
  id: string,
): Promise<Conversation | null> {
  if (!isUuid(id)) return null;
  const { caller } = context;
  if (caller.kind === "agent") return reader.findOneBy(Conversation, { id, agentId: caller.agent.id });
  return reader.findOneBy(Conversation, { id, agent: { organizationId: organizationOf(context) } });
}

/** Locks the row of a contact until the transaction ends. */
export async function lockContactRow(tx: Tx, id: string): Promise<void> {
  await lockContacts(tx, [id]);
}

/**
 * Locks conversations until the transaction ends, in the order of their IDs; see `delivery/README.md` for the order of
 * locks.
 * @returns them as the last change left them, by ID
 */
export async function lockConversations(tx: Tx, ids: readonly string[]): Promise<Map<string, Conversation>> {
  if (ids.length === 0) return new Map();
  const query = tx
    .createQueryBuilder(Conversation, "conversation")
    .where("conversation.id IN (:...ids)", { ids: [...new Set(ids)] })
    .orderBy("conversation.id");
  const rows = await tx.lock(query).getMany();
  return new Map(rows.map((row) => [row.id, row]));
}

/** The error for a change of a closed conversation. */
export const conversationClosed = () => new GatewayError("conflict", "The conversation is closed.");

/** @throws GatewayError `conflict` */
export function assertOpen({ state }: Conversation): void {
  if (state === ConversationState.closed) throw conversationClosed();
}
