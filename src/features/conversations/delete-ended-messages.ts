import { In } from "typeorm";
import { DAY_MS, timestampOf } from "../../common/time";
import { leastUuidAt } from "../../common/uuid";
import { lockRows } from "../../database/lock-rows";
import type { ExpiredChunk } from "../../schema/feature";
import { MAX_CAP_DAYS } from "../configuration/configuration.limits";
import { DeliveryAttempt } from "../messages/delivery-attempt.entity";
import { IS_UNPLACED, IS_UNSENT, Message } from "../messages/message.entity";

const LAST_CHANGE = "coalesce(message.updated_at, message.created_at)";

/**
 * Deletes messages that ended a number of days ago, with their attempts. Keeps messages that a cap counts, and all
 * messages of a conversation while the contact waits for a reply or the agent is deciding.
 */
export function deleteEndedMessages(days: number): ExpiredChunk {
  const beforeMs = Date.now() - days * DAY_MS;
  const before = timestampOf(beforeMs);
  const uncountedBefore = timestampOf(Math.min(beforeMs, Date.now() - MAX_CAP_DAYS * DAY_MS));
  return async (tx, after = "", limit) => {
    // Selects every row up to the limit, because a chunk must be short even if it deletes nothing.
    const rows: { id: string; isEnded: boolean | number }[] = await tx.query(
      `select id, not (${IS_UNSENT}) and not (${IS_UNPLACED})
         and ${LAST_CHANGE} < case when capped_contact_id is null then $1 else $2 end
         and not exists (
           select 1 from conversation
           where conversation.id = message.conversation_id and conversation.waiting_since is not null)
         and not exists (
           select 1 from decision
           where decision.conversation_id = message.conversation_id and decision.state = 'deciding') as "isEnded"
       from message where id > $3 and id < $4 order by id limit $5`,
      [before, uncountedBefore, after, leastUuidAt(beforeMs), limit],
    );
    const ended = rows.flatMap(({ id, isEnded }) => (isEnded ? id : []));
    if (ended.length > 0) {
      const query = tx
        .createQueryBuilder(Message, "message")
        .select("message.id")
        .where({ id: In(ended) });
      const ids = [...(await lockRows(tx, query, { skipLocked: true })).keys()];
      await tx.delete(DeliveryAttempt, { messageId: In(ids) });
      await tx.delete(Message, { id: In(ids) });
    }
    return rows.length < limit ? undefined : rows.at(-1)?.id;
  };
}
