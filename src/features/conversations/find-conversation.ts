import type { RequestContext } from "../../auth/context";
import { lockRows } from "../../database/lock-rows";
import type { Tx } from "../../database/unit-of-work";
import { GatewayError } from "../../errors";
import type { Contact } from "../contacts/contact.entity";
import type { ContactAddress } from "../contacts/contact-address.entity";
import type { Line } from "../lines/line.entity";
import { Conversation, ConversationState } from "./conversation.entity";

/** Returns the scope of a caller's idempotency keys: the member or, regardless of the API key, the agent. */
export const idempotencyScope = (operation: string, { caller }: RequestContext): string =>
  `${operation}:${caller.kind === "agent" ? caller.agent.id : caller.kind === "member" ? caller.id : caller.kind}`;

/** Where a conversation takes place: on a line, with one of the contact's addresses. */
export interface Place {
  line: Line;
  /** The locked contact; the lock keeps other transactions from opening a conversation. */
  contact: Pick<Contact, "handedOffAt">;
  /** One of the contact's addresses. */
  address: ContactAddress;
}

/**
 * Locks conversations by ID, and open ones by line and address, all in ID order (see `delivery/README.md`).
 * @returns the current conversations, by ID
 */
export async function lockConversations(
  tx: Tx,
  ids: readonly string[],
  places: readonly Place[] = [],
): Promise<Map<string, Conversation>> {
  let condition: string | undefined;
  const parameters: Record<string, unknown> = {};
  if (ids.length > 0) {
    condition = "conversation.id IN (:...ids)";
    parameters.ids = [...new Set(ids)];
  }
  if (places.length > 0) {
    const rows = places.map((_, i) => `(:line${i}, :address${i})`);
    // For an OR with a subquery, PostgreSQL would scan the whole table.
    const named =
      ids.length === 0
        ? ""
        : "SELECT known.id FROM conversation known WHERE known.id IN (:...ids) UNION ALL ";
    condition = `conversation.id IN (${named}
      SELECT place.id FROM (
        WITH wanted (line_id, address_id) AS (VALUES ${rows.join(", ")})
        SELECT open.id FROM wanted JOIN conversation open ON open.line_id = wanted.line_id
          AND open.address_id = wanted.address_id AND open.state = '${ConversationState.open}') place)`;
    for (const [i, { line, address }] of places.entries())
      Object.assign(parameters, { [`line${i}`]: line.id, [`address${i}`]: address.id });
  }
  if (condition === undefined) return new Map();
  return lockRows(tx, tx.createQueryBuilder(Conversation, "conversation").where(condition, parameters));
}

/**
 * Locks the open conversations with a locked contact, in ID order.
 * @param id ID of a conversation to lock even if it is closed
 */
export const lockOpenWith = (tx: Tx, contactId: string, id = ""): Promise<Map<string, Conversation>> =>
  lockRows(
    tx,
    tx
      .createQueryBuilder(Conversation, "conversation")
      .where({ contactId })
      .andWhere(`(conversation.state = '${ConversationState.open}' OR conversation.id = :id)`, { id }),
  );

/** Finds the open conversation for a line and address among locked conversations; null if there is none. */
export const openAt = (
  conversations: ReadonlyMap<string, Conversation>,
  { line, address }: Place,
): Conversation | null =>
  [...conversations.values()].find(
    // A conversation may have been closed while this transaction waited for its lock.
    ({ lineId, addressId, state }) =>
      lineId === line.id && addressId === address.id && state === ConversationState.open,
  ) ?? null;

/** Returns the error for an attempt to change a closed conversation. */
export const conversationClosed = () => new GatewayError("conflict", "The conversation is closed.");

/** @throws GatewayError `conflict` */
export function assertOpen({ state }: Conversation): void {
  if (state === ConversationState.closed) throw conversationClosed();
}
