import { groupBy } from "../../common/group-by";
import { type Timestamp, timestamp } from "../../common/time";
import { padded, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import { ConsentState } from "../contacts/consent.entity";
import type { AddressKind } from "../contacts/contact-address.entity";
import type { GateContext, QueuedRow } from "../messages/gates";
import { IS_UNSENT } from "../messages/message.entity";
import type { Queues } from "../messages/message-work";
import {
  LINE_COLUMNS,
  type LineRow,
  lineIn,
  type PolicyRow,
  QUEUED_COLUMNS,
} from "../messages/standalone-messages";
import { ConversationState, Handler } from "./conversation.entity";

/** Max messages per transaction; changes to their conversations wait for its commit. */
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
}

/** Reads the queued messages of conversations; each is sent on the line of its conversation. */
export async function readQueues(tx: Tx, ids: readonly string[]): Promise<Queues> {
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
       organization.deactivated_at as "deactivatedAt"
     from message
     join conversation on conversation.id = message.conversation_id
     join line on line.id = conversation.line_id
     join agent on agent.id = conversation.agent_id
     join organization on organization.id = agent.organization_id
     left join contact_address on contact_address.id = conversation.address_id
     where message.${IS_UNSENT} and message.conversation_id in ${placeholders(1, padded(ids).length)}
     order by message.conversation_id, message.sequence
     limit ${MAX_MESSAGES}`,
    padded(ids),
  );
  const waiting = rows.map((row) => ({ ...row, context: gateContextOf(row) }));
  const queues = groupBy(waiting, ({ conversationId }) => conversationId);
  if (rows.length < MAX_MESSAGES) return { queues };
  // The limit may have truncated the last queue and dropped later ones.
  const last = rows.at(-1)?.conversationId;
  const now = timestamp();
  const cut = ids.filter((id) => id === last || !queues.has(id));
  return { queues, next: new Map(cut.map((id) => [id, now])) };
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
