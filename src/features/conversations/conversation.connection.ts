import { type EntityManager, type FindOptionsWhere, In, type SelectQueryBuilder } from "typeorm";
import { timestampOf } from "../../common/time";
import { isUuid } from "../../common/uuid";
import { GatewayError } from "../../errors";
import { ConnectionOf, type Page } from "../../pagination/connection";
import { type Part, pageOfParts } from "../../pagination/page-of-parts";
import { partsOfAgents } from "../agents/agent-scope";
import { Conversation, ConversationState } from "./conversation.entity";
import { ConversationOrder, type ConversationsArgs } from "./conversation.inputs";

/** Returns the ID and the times used for ordering, so that a cursor is valid for every order. */
const positionOf = ({ id, updatedAt, waitingSince }: Conversation): string =>
  [id, Date.parse(updatedAt), waitingSince === null ? "" : Date.parse(waitingSince)].join(".");

const parsed = (position: string) => {
  const [id = "", at, waiting] = position.split(".");
  return { id, at: timestampOf(Number(at)), since: waiting ? timestampOf(Number(waiting)) : undefined };
};

const isPosition = (text: string): boolean => {
  const [id = "", at = "", waiting = "", ...more] = text.split(".");
  return isUuid(id) && /^\d{1,15}$/.test(at) && /^\d{0,15}$/.test(waiting) && more.length === 0;
};

export const ConversationConnection = ConnectionOf(Conversation, "conversation", isPosition, positionOf);
export type ConversationConnection = InstanceType<typeof ConversationConnection>;

/** The owners of the listed conversations: agents, or contacts and single conversations. */
export type Owners =
  | { agentIds: readonly string[] }
  | { contactIds: readonly string[]; ids: readonly string[] };

/** Returns the conditions that select the owners' conversations; a conversation must meet any of them. */
export const ownedBy = (owners: Owners): FindOptionsWhere<Conversation>[] =>
  "agentIds" in owners
    ? [{ agentId: In([...owners.agentIds]) }]
    : [{ contactId: In([...owners.contactIds]) }, { id: In([...owners.ids]) }];

interface ListedConversations extends Pick<ConversationsArgs, "order" | "state" | "assigneeId"> {
  owners: Owners;
}

/** Splits a list into parts that the order's index covers; contacts have too few to need an index. */
function partsOf({ owners, order, state, assigneeId }: ListedConversations): Part[] {
  if ("contactIds" in owners) {
    const { contactIds, ids } = owners;
    const either = [
      ...(contactIds.length > 0 ? ["conversation.contact_id IN (:...contactIds)"] : []),
      ...(ids.length > 0 ? ["conversation.id IN (:...ids)"] : []),
    ];
    return [{ condition: `(${either.join(" OR ")})`, parameters: { contactIds, ids } }];
  }
  const ofAgents = partsOfAgents("conversation", owners.agentIds);
  // The index on a member's assigned conversations does not include the state.
  if (order !== ConversationOrder.last_activity_first || assigneeId != null) return ofAgents;
  const states = state == null ? Object.values(ConversationState) : [state];
  return states.flatMap((each) =>
    ofAgents.map(({ condition, parameters }) => ({
      condition: `${condition} AND conversation.state = '${each}'`,
      parameters,
    })),
  );
}

const ORDERS = {
  oldest_first: { column: "id", direction: "ASC" },
  newest_first: { column: "id", direction: "DESC" },
  last_activity_first: { column: "updated_at", direction: "DESC" },
  longest_waiting_first: { column: "waiting_since", direction: "ASC" },
} as const satisfies Record<ConversationOrder, object>;

/**
 * Reads a page of agents' or contacts' conversations.
 * @param query selects conversations of any owner
 * @param list the query's filters that an index covers
 * @throws GatewayError `invalid_cursor` if `longest_waiting_first` starts after one that is not waiting
 */
export function pageOfConversations(
  reader: EntityManager,
  query: SelectQueryBuilder<Conversation>,
  { after, limit }: Page,
  list: ListedConversations,
): Promise<Conversation[]> {
  const { column, direction } = ORDERS[list.order];
  const start = after === undefined ? undefined : parsed(after);
  const at = start && { id: start.id, updated_at: start.at, waiting_since: start.since }[column];
  if (start !== undefined && at === undefined) throw new GatewayError("invalid_cursor");
  return pageOfParts(reader, query, partsOf(list), {
    column,
    direction,
    after: start && at !== undefined ? { at, id: start.id } : undefined,
    limit: limit + 1,
  });
}
