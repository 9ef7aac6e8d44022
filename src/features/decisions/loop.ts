import { HOUR_MS, type Timestamp, timestamp, timestampOf } from "../../common/time";
import { coalesceInTx } from "../../database/coalesce-in-tx";
import { allReturning, placeholders } from "../../database/returning";
import type { Tx } from "../../database/unit-of-work";
import type { Conversation } from "../conversations/conversation.entity";
import { conversationEvent } from "../conversations/conversation-events";
import { recordEvents } from "../events/record-events";
import { MessageAuthor, MessageStatus } from "../messages/message.enums";
import type { Decision } from "./decision.entity";
import { MAX_AUTOMATIC_ANSWERS } from "./loop-gate";

/** The contact and addresses to look up; each is null if there is none. */
interface Surroundings {
  contactId: string | null;
  addressId: string | null;
  /** The address that messages to the contact would be sent to. */
  reachedAt: string | null;
  now: Timestamp;
}

interface Found {
  n: string;
  tags: string | null;
  channels: string | null;
  answers: string;
  optedOutAt: string | null;
  undeliverableAt: string | null;
}

/**
 * Reads a contact's tags, the kinds of its addresses that accept messages, and the state of the address that
 * messages would be sent to: opted out or undeliverable. The same statement counts the automatic answers to
 * an address on all lines in the hour before `now`, up to `MAX_AUTOMATIC_ANSWERS`, except answers that were
 * canceled or failed before any attempt to send them. The transaction has locked the contact, so no other
 * decision can add an answer.
 */
export const readSurroundings = coalesceInTx(async (tx: Tx, wanted: readonly Surroundings[]) => {
  // Without the order, PostgreSQL would scan the whole table for an address that has most of the messages.
  const rows: Found[] = await tx.query(
    `with wanted (n, contact_id, address_id, reached_at, since) as (values ${placeholders(wanted.length, 5)})
     select n,
       (select string_agg(tag, ' ') from contact_tag where contact_id = wanted.contact_id) as tags,
       (select string_agg(kind, ',') from contact_address
         where contact_id = wanted.contact_id and opted_out_at is null and undeliverable_at is null) as channels,
       (select count(*) from (
         select 1 from message where answered_address_id = wanted.address_id and created_at > wanted.since
           and author = '${MessageAuthor.agent}'
           and (attempts > 0 or status not in ('${MessageStatus.canceled}', '${MessageStatus.failed}'))
         order by created_at desc limit ${MAX_AUTOMATIC_ANSWERS}) as recent) as answers,
       (select opted_out_at from contact_address where id = wanted.reached_at) as "optedOutAt",
       (select undeliverable_at from contact_address where id = wanted.reached_at) as "undeliverableAt"
     from wanted`,
    wanted.flatMap(({ contactId, addressId, reachedAt, now }, n) => [
      String(n),
      contactId,
      addressId,
      reachedAt,
      hourBefore(now),
    ]),
  );
  const found = new Map(rows.map((row) => [Number(row.n), row]));
  return wanted.map((_, n) => {
    const { tags, channels, answers, optedOutAt, undeliverableAt } = found.get(n) ?? {};
    return {
      tags: tags?.split(" ") ?? [],
      channels: [...new Set(channels?.split(",") ?? [])],
      answers: Number(answers ?? 0),
      isOptedOut: optedOutAt != null,
      isUndeliverable: undeliverableAt != null,
    };
  });
});

/** Recounts the automatic answers after a model call, for the snapshot that the decision is based on. */
export async function recountAnswers(
  tx: Tx,
  decision: Decision,
  conversation: Conversation | null,
): Promise<void> {
  const { snapshot } = decision;
  if (snapshot?.answers === undefined || conversation === null) return;
  const { addressId } = conversation;
  const { answers } = await readSurroundings(tx, {
    contactId: null,
    addressId,
    reachedAt: null,
    now: timestamp(),
  });
  decision.snapshot = { ...snapshot, answers };
}

/** Records a loop event, at most once per hour and address. */
export async function reportLoop(
  tx: Tx,
  conversation: Conversation,
  addressId: string,
  now: Timestamp,
): Promise<void> {
  const reported = await allReturning(
    tx,
    `update contact_address set loop_detected_at = $1
     where id = $2 and (loop_detected_at is null or loop_detected_at <= $3) returning id`,
    [now, addressId, hourBefore(now)],
  );
  if (reported.length > 0) recordEvents(tx, [conversationEvent("conversation.loop_detected", conversation)]);
}

const hourBefore = (now: Timestamp): Timestamp => timestampOf(Date.parse(now) - HOUR_MS);
