import { groupBy } from "../../common/group-by";
import { type Timestamp, timestamp } from "../../common/time";
import { padded, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { ConsentState } from "../contacts/consent.entity";
import type { AddressKind } from "../contacts/contact-address.entity";
import type { GateContext, QueuedMessage, QueuedRow, Queues } from "../messages/gates";
import { IS_UNSENT } from "../messages/message.entity";
import {
  LINE_COLUMNS,
  type LineRow,
  lineIn,
  type PolicyRow,
  QUEUED_COLUMNS,
} from "../messages/standalone-messages";
import { ConversationState, Handler } from "./conversation.entity";

/**
 * Max messages to read in a transaction, because changes to their conversations wait for its commit. If there
 * are more, most queues are read only up to their first message.
 */
const MAX_MESSAGES = 500;

interface Row extends QueuedRow, PolicyRow, LineRow {
  conversationId: string;
  version: number;
  handler: Handler;
  conversationState: ConversationState;
  contactId: string;
  address: string | null;
  optedOutAt: Timestamp | null;
  addressKind: AddressKind;
  undeliverableAt: Timestamp | null;
  erasedAt: Timestamp | null;
  timezone: string | null;
  consent: ConsentState | null;
  deactivatedAt: Timestamp | null;
  /** True (1 on SQLite) if other messages are waiting behind the message; undefined if this was not read. */
  isFollowed?: boolean | number;
}

/**
 * Reads conversations' queued messages, sent on the conversations' lines. If there are too many, at least the
 * first message of each queue is read, so that long queues cannot starve the others.
 * @param ids the conversations; if there are too many messages, the first truncated queue is read completely
 */
export async function readQueues(tx: Tx, ids: readonly string[]): Promise<Queues> {
  const all = padded(ids);
  const rows = await readRows(tx, all, {
    where: `message.conversation_id in ${placeholders(1, all.length)}`,
    limit: `limit ${MAX_MESSAGES + 1}`,
  });
  const queues = groupBy(rows, ({ conversationId }) => conversationId);
  if (rows.length <= MAX_MESSAGES) return { queues };
  // The limit may have truncated the last queue that was read, and later queues were not read at all.
  queues.delete(rows.at(-1)?.conversationId ?? "");
  const cut = ids.filter((id) => !queues.has(id));
  const found = groupBy(await readFirst(tx, cut), ({ conversationId }) => conversationId);
  // Retains the order of the queues, so that each queue eventually comes first and is read completely.
  const next = cut.flatMap((id, i) =>
    found.get(id)?.at(-1)?.isFollowed ? [[id, timestamp(i - cut.length)] as const] : [],
  );
  return { queues: new Map([...queues, ...found]), next: new Map(next) };
}

/** Reads all queued messages of the first conversation, and the first message of each other conversation. */
function readFirst(tx: Tx, ids: readonly string[]): Promise<(Row & QueuedMessage)[]> {
  const all = padded(ids);
  return readRows(tx, all, {
    columns: `, exists (
        select 1 from message behind where behind.${IS_UNSENT} and behind.conversation_id = message.conversation_id
          and behind.sequence > message.sequence) as "isFollowed"`,
    where: `message.id in (
        select id from message where ${IS_UNSENT} and conversation_id = $1
        union all
        select (select id from message where ${IS_UNSENT} and conversation_id = conversation.id order by sequence limit 1)
        from conversation where id in ${placeholders(1, all.length)})`,
  });
}

async function readRows(
  tx: Tx,
  ids: readonly string[],
  { columns = "", where, limit = "" }: { columns?: string; where: string; limit?: string },
): Promise<(Row & QueuedMessage)[]> {
  const rows: Row[] = await tx.query(
    `select ${QUEUED_COLUMNS}, ${LINE_COLUMNS}, conversation.id as "conversationId", conversation.version,
       conversation.handler, conversation.state as "conversationState", conversation.contact_id as "contactId", contact_address.kind as "addressKind", contact_address.address,
       contact_address.opted_out_at as "optedOutAt", contact_address.undeliverable_at as "undeliverableAt",
       case when contact_address.id is null
         then (select erased_at from contact where contact.id = conversation.contact_id) end as "erasedAt",
       case when agent.policy_version is not null
         then (select timezone from contact where contact.id = conversation.contact_id) end as timezone,
       case when message.topic is not null
         then (select consent.state from consent
           where consent.address_id = conversation.address_id and consent.topic = message.topic) end as consent,
       organization.deactivated_at as "deactivatedAt"${columns}
     from message
     join conversation on conversation.id = message.conversation_id
     join line on line.id = conversation.line_id
     join agent on agent.id = conversation.agent_id
     join organization on organization.id = agent.organization_id
     left join contact_address on contact_address.id = conversation.address_id
     where message.${IS_UNSENT} and ${where}
     order by message.conversation_id, message.sequence
     ${limit}`,
    [...ids],
  );
  return rows.map((row) => ({ ...row, context: gateContextOf(row) }));
}

const gateContextOf = (row: Row): GateContext => ({
  agentId: row.agentId,
  policyVersion: row.policyVersion,
  line: lineIn(row),
  organizationIsActive: row.deactivatedAt === null,
  conversation: {
    version: row.version,
    contactId: row.contactId,
    isHandledByHuman: row.handler === Handler.human,
    isClosed: row.conversationState === ConversationState.closed,
    isErased: row.erasedAt !== null,
    timezone: row.timezone,
    hasOptedIn: row.consent === ConsentState.in,
    address:
      row.address === null
        ? undefined
        : {
            kind: row.addressKind,
            address: row.address,
            isOptedOut: row.optedOutAt !== null || row.consent === ConsentState.out,
            isUndeliverable: row.undeliverableAt !== null,
          },
  },
});
